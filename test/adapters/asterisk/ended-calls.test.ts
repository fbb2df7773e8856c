import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { renderFiles } from '../../../adapters/asterisk/render/files.ts'
import { renderTenant } from '../../../adapters/asterisk/render/tenant.ts'
import type { UsedBy } from '../../../core/ports/switching.ts'
import { dialledForms } from '../../../core/switching/dialled-forms.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { until } from '../../support/data/switch.ts'
import { type FollowedAsterisk, followedAsterisk } from '../../support/switching/asterisk-follower.ts'
import { type Dialplan, type Done, readDialplan, run } from '../../support/switching/dialplan.ts'
import { directory, type World } from '../../support/switching/directory.ts'
import { directoryOf } from '../../support/switching/freeswitch.ts'

const NOW = '2026-03-01T12:00:00.000000Z'
const seconds = (moment: string): string => String(Date.parse(moment) / 1000)

/** A tenant with these limits that has used one call. */
const limited = (given: World): TenantDirectory => directory({ tenant: { id: 7 }, ...given })
const used: UsedBy = {
  tenant: { ...NOTHING_USED, calls_per_hour: 1, calls_per_day: 1 },
  extension: () => ({ ...NOTHING_USED, calls_per_hour: 1, calls_per_day: 1 }),
  extensions: () => new Set(),
}

describe('calls out that have ended while their records are not stored', () => {
  let database: Map<string, string>
  beforeEach(() => {
    database = new Map()
  })

  const dialplanOf = async (given: World): Promise<Dialplan> => {
    const on = limited(given)
    const { files } = renderFiles({
      tenants: [renderTenant({ directory: on, used, ratedPrefixes: [], reader: 'tl-read-1' })],
      ...{ telephones: [], trunks: [...on.trunks.values()] },
      readers: new Map([['tl-read-1', await dialledForms(on.dialling, async () => undefined)]]),
    })
    return readDialplan(files.extensions)
  }
  let count = 0
  /** A call whose carrier refuses it, or is away. */
  const call = (plan: Dialplan, extension: string, dialStatus = 'BUSY', away: string[] = []): string | undefined =>
    steps(plan, extension, dialStatus, away)
      .find(({ app }) => app === 'Dial' || app === 'UserEvent')
      ?.args.replace(/^.*Refusal: ([a-z_]+),.*$/, '$1')
      .replace(/^PJSIP.*$/, 'went')
  const steps = (plan: Dialplan, extension: string, dialStatus = 'BUSY', away: string[] = []): readonly Done[] =>
    run(plan, {
      ...{ context: 'tenant-acme', accountcode: 'acme', exten: '0501234567', variables: { TL_EXT: extension } },
      ...{ database, dialStatus, uniqueId: `17.${++count}` },
      contacts: new Map(away.map(contact => [contact, 'Unreachable'])),
    })

  test("count for the tenant's limit by the hour or the day", async () => {
    for (const name of ['calls_per_hour', 'calls_per_day']) {
      database.clear()
      const plan = await dialplanOf({ limits: { most: { [name]: 3 } } })
      const went = ['101', '102', '101', '102'].map(extension => call(plan, extension))
      assert.deepEqual(went, ['went', 'went', 'tenant_spent', 'tenant_spent'])
    }
  })

  test('count for the limit of their extension, and of no other', async () => {
    const plan = await dialplanOf({ ofExtension: { most: { calls_per_hour: 3 } } })
    const went = ['101', '101', '101', '102', '102', '102'].map(extension => call(plan, extension))
    assert.deepEqual(went, ['went', 'went', 'extension_spent', 'went', 'went', 'extension_spent'])
  })

  test("count for the tenant's limit only with calls that their extension's limit lets through", async () => {
    const plan = await dialplanOf({
      limits: { most: { calls_per_hour: 3 } },
      ofExtension: { most: { calls_per_hour: 2 } },
    })
    const went = ['101', '101', '102', '102'].map(extension => call(plan, extension))
    assert.deepEqual(went, ['went', 'extension_spent', 'went', 'extension_spent'])
  })

  test('are noted whatever the carrier answered', async () => {
    const plan = await dialplanOf({ limits: { most: { calls_per_hour: 3 } } })
    // 404 and 500 are a CHANUNAVAIL too.
    const went = ['CHANUNAVAIL', 'CONGESTION', 'CANCEL'].map(status => call(plan, '101', status))
    assert.deepEqual(went, ['went', 'went', 'tenant_spent'])
  })

  test('hold the next call up for two seconds at most, if a limit is on cost', async () => {
    const tenants = await dialplanOf({ limits: { most: { cost_per_day: 5 } } })
    const extensions = await dialplanOf({ ofExtension: { most: { cost_per_hour: 5 } } })
    const waits = (plan: Dialplan, extension: string): string[] =>
      steps(plan, extension).flatMap(({ app, args }) => (app === 'Wait' ? args : app === 'Dial' ? 'went' : []))
    const TWO_SECONDS = Array.from({ length: 10 }, () => '0.2')
    assert.deepEqual(waits(tenants, '101'), ['went'])
    assert.deepEqual(waits(tenants, '102'), [...TWO_SECONDS, 'went'])
    database.clear()
    assert.deepEqual(waits(extensions, '101'), ['went'])
    assert.deepEqual(waits(extensions, '102'), ['went'])
    assert.deepEqual(waits(extensions, '101'), [...TWO_SECONDS, 'went'])
  })

  test('are not noted without such a limit, nor if the carrier is known to be away, which leaves no record', async () => {
    const [free, paced] = [
      await dialplanOf({ limits: { most: { concurrent_calls: 5 } } }),
      await dialplanOf({ limits: { most: { calls_per_hour: 3 } } }),
    ]
    assert.equal(call(free, '101'), 'went')
    const answers = 'trunkline-answers/'
    const away = [...database.keys()].filter(key => key.startsWith(answers)).map(key => key.slice(answers.length))
    assert.equal(away.length, 1)
    for (let each = 0; each < 5; each++) assert.equal(call(paced, '101', 'CHANUNAVAIL', away), 'went')
    assert.deepEqual(
      [...database.keys()].filter(key => key.includes('ended')),
      [],
    )
  })
})

describe('noted calls of an Asterisk that is followed', () => {
  let asterisk: FollowedAsterisk
  const stored = new Set<string>()
  const noted = (): string[] => [...asterisk.model.entries.keys()]

  beforeEach(async () => {
    asterisk = await followedAsterisk()
    stored.clear()
    asterisk.model.entries.set('/other/7/17.1', seconds(NOW))
  })
  afterEach(() => asterisk.end())

  /** Milliseconds by which the clock is ahead. */
  let ahead = 0

  const start = async () => {
    ahead = 0
    const calls = { ...used, tenant: { ...used.tenant } }
    const limits = { most: { calls_per_hour: 3 } }
    const beta = { id: 8, slug: 'beta', domain: 'beta.example.com' }
    const follower = asterisk.start({
      directory: directoryOf(() => [limited({ limits }), limited({ tenant: beta, limits })]),
      now: () => performance.now() + ahead,
      usage: { of: async () => calls, stored: async (_, channels) => new Set(channels.filter(id => stored.has(id))) },
    })
    await until('it is connected', () => asterisk.due.length > 0)
    await follower.reconcile('all')
    await until('all files are loaded', () => asterisk.taken.length >= 4)
    return { follower, calls }
  }

  test('are forgotten once the dialplan that counts their records is loaded', async () => {
    const { follower, calls } = await start()
    for (const id of ['7/17.2', '7-101/17.2', '7/17.3'])
      asterisk.model.entries.set(`/trunkline-ended/${id}`, seconds(NOW))
    stored.add('17.2')
    calls.tenant = { ...calls.tenant, calls_per_hour: 2 }
    await follower.reconcile(new Set([7]))
    await until('they are forgotten', () => noted().length === 2)
    assert.deepEqual(noted(), ['/other/7/17.1', '/trunkline-ended/7/17.3'])
    const asked = asterisk.model.asked.flatMap(({ Action = '', Module }) =>
      Action === 'DBDel' ? Action : (Module ?? []),
    )
    assert.deepEqual(asked.slice(4), ['pbx_config.so', 'DBDel', 'DBDel'])
  })

  test('stay noted when only the dialplan of another tenant is rendered again', async () => {
    const { follower, calls } = await start()
    for (const id of ['7/17.2', '8/17.3']) asterisk.model.entries.set(`/trunkline-ended/${id}`, seconds(NOW))
    for (const id of ['17.2', '17.3']) stored.add(id)
    calls.tenant = { ...calls.tenant, calls_per_hour: 2 }
    await follower.reconcile(new Set([8]))
    await until('that of the other is forgotten', () => noted().length === 2)
    assert.deepEqual(noted(), ['/other/7/17.1', '/trunkline-ended/7/17.2'])
    await follower.reconcile(new Set([7]))
    await until('it is forgotten too', () => noted().length === 1)
  })

  test('are forgotten a minute after they were first seen without a record, however old they are', async () => {
    for (const [id, value] of [
      ['17.2', seconds('2026-03-01T10:00:00.000000Z')],
      ['17.3', 'torn'],
    ] as const)
      asterisk.model.entries.set(`/trunkline-ended/7/${id}`, value)
    const { follower } = await start()
    ahead = 30_000
    await follower.reconcile('all')
    assert.equal(noted().length, 3)
    ahead = 62_000
    await follower.reconcile('all')
    await until('they are forgotten', () => noted().length === 1)
    assert.deepEqual(noted(), ['/other/7/17.1'])
    assert.deepEqual(asterisk.troubles, [])
  })
})
