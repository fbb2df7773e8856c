import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { UsedBy } from '../../../../core/ports/switching.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { type LimitName, NOTHING_USED, type Used } from '../../../../core/switching/limits/limits.ts'
import { type LimitWatch, limitWatch } from '../../../../core/use-cases/calls/limit-watch.ts'
import { fakeStorage } from '../../../fakes/storage.ts'
import { type ManualClock, manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'

let clock: ManualClock
let storage: ReturnType<typeof fakeStorage>
let watch: LimitWatch
let used: { tenant: Partial<Used>; extensions: Record<number, Partial<Used>> }
let counted: LimitName[]
let [acme, desk] = [0, 0]

const usedBy = (): UsedBy => ({
  tenant: { ...NOTHING_USED, ...used.tenant },
  extension: id => ({ ...NOTHING_USED, ...used.extensions[id] }),
  extensions: () => new Set(Object.keys(used.extensions).map(Number)),
})

function watching(): LimitWatch {
  const { records, notices, audit } = storage
  const onReached = (name: LimitName): void => void counted.push(name)
  return limitWatch({ records, usage: { of: async () => usedBy() }, notices, audit, clock, onReached })
}

const limit = (limits: unknown) =>
  storage.records.update(resourceNamed('tenants'), acme, { settings: JSON.stringify({ limits }) })

beforeEach(async () => {
  clock = manualClock()
  storage = fakeStorage(clock)
  used = { tenant: {}, extensions: {} }
  counted = []
  acme = (await insert(storage.records, 'tenants', { slug: 'acme', timezone: 'Europe/Kyiv' })).id
  desk = (await insert(storage.records, 'extensions', { tenant_id: acme, extension_number: '101' })).id
  watch = watching()
})

const entries = async () => {
  const period = { from: '0000', to: '9999' }
  const found = []
  for await (const { action, resource, record_id, changes } of storage.audit.list(period))
    if (action === 'limit-reached') found.push([resource, record_id, changes])
  return found
}
const notices = async () => (await storage.notices.list()).map(({ subject, detail }) => [subject, detail])
const look = () => watch.look(new Set([acme]))

test('a limit that is reached is a notice, an entry of the audit trail and a count', async () => {
  await limit({ cost_per_day: 5, extension: { calls_per_hour: 10 } })
  used = { tenant: { cost_per_day: 51_234 }, extensions: { [desk]: { calls_per_hour: 10 } } }
  await look()
  assert.deepEqual(await notices(), [
    ['calls_per_hour acme/101', 'extension acme/101 has reached its calls_per_hour of 10 with 10'],
    ['cost_per_day acme', 'tenant acme has reached its cost_per_day of 5.0000 with 5.1234'],
  ])
  assert.deepEqual(await entries(), [
    ['extensions', desk, { name: 'calls_per_hour', used: '10', limit: '10' }],
    ['tenants', acme, { name: 'cost_per_day', used: '5.1234', limit: '5.0000' }],
  ])
  assert.deepEqual(counted, ['cost_per_day', 'calls_per_hour'])
})

test('a limit reached is noted once for each hour or day, even after a restart', async () => {
  await limit({ calls_per_hour: 1, calls_per_day: 1 })
  used.tenant = { calls_per_hour: 5, calls_per_day: 5 }
  await look()
  clock.advance(1_800)
  watch = watching()
  await look()
  assert.deepEqual(counted, ['calls_per_hour', 'calls_per_day'])
  clock.advance(1_900)
  await look()
  assert.deepEqual(counted, ['calls_per_hour', 'calls_per_day', 'calls_per_hour'])
  clock.advance(10 * 3_600)
  await look()
  assert.deepEqual(counted.slice(3), ['calls_per_hour', 'calls_per_day'])
})

test('all tenants are checked if anything may have changed; those without limits are skipped', async () => {
  used.tenant = { calls_per_hour: 5 }
  await watch.look('all')
  assert.deepEqual(counted, [])
  await limit({ calls_per_hour: 5 })
  await watch.look('all')
  assert.deepEqual(counted, ['calls_per_hour'])
})

test('an extension is measured by its own limit', async () => {
  await limit({ extension: { calls_per_day: 5 }, extensions: { 101: { calls_per_day: 50 } } })
  used.extensions = { [desk]: { calls_per_day: 49 } }
  await look()
  assert.deepEqual(counted, [])
})

test('a deleted tenant has reached no limit', async () => {
  await limit({ calls_per_hour: 5 })
  used.tenant = { calls_per_hour: 5 }
  await storage.records.remove(resourceNamed('tenants'), acme, { cascade: true })
  await look()
  assert.deepEqual(counted, [])
})

test('refusals by the number of calls in progress are noted too', async () => {
  const tenant = { id: acme, slug: 'acme', timezone: 'Europe/Kyiv' }
  const reached = () => watch.reached({ tenant, extension: null }, { name: 'concurrent_calls', used: 3, limit: 3 })
  await Promise.all([reached(), reached(), reached()])
  assert.deepEqual(counted, ['concurrent_calls'])
})

test('a notice is gone after a day', async () => {
  await limit({ calls_per_hour: 5 })
  used.tenant = { calls_per_hour: 5 }
  await look()
  used.tenant = {}
  clock.advance(86_500)
  await look()
  assert.deepEqual(await notices(), [])
})
