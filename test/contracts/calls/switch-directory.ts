import assert from 'node:assert/strict'
import { addSeconds } from '../../../core/dates.ts'
import type { Records } from '../../../core/ports/records.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Row } from '../../../core/resources/resource.ts'
import { decideCall } from '../../../core/switching/decide-call.ts'
import type { CallDecision } from '../../../core/switching/decision.ts'
import { NO_CALLS } from '../../../core/switching/in-progress.ts'
import { insert } from '../../support/data/rows.ts'
import { inProgress, liveCall } from '../../support/switching/directory.ts'
import { contract } from '../contract.ts'

export const switchDirectoryContract = contract('what switches ask', [
  'switchDirectory',
  'trunkRoutes',
  'calls',
  'records',
])
const { behaviour } = switchDirectoryContract

const UKRAINE = '{"dialling":{"country":"UA"}}'

async function tenant(records: Records, slug: string, changes: Row = {}) {
  const { id } = await insert(records, 'tenants', { slug, domain: `${slug}.test`, settings: UKRAINE, ...changes })
  const extension = async (number: string, more: Row = {}): Promise<number> =>
    (
      await insert(records, 'extensions', {
        tenant_id: id,
        extension_number: number,
        voicemail_enabled: false,
        ...more,
      })
    ).id
  const did = async (number: string, targets: readonly (readonly [string, number])[] = [], more: Row = {}) => {
    const stored = await insert(records, 'dids', { tenant_id: id, number, ...more })
    for (const [target_type, target_id] of targets)
      await insert(records, 'routes', { did_id: stored.id, target_type, target_id })
    return stored.id
  }
  return { id, extension, did }
}

const change = (records: Records, name: string, id: number, changes: Row): Promise<unknown> =>
  records.update(resourceNamed(name), id, changes)

const shown = (decision: CallDecision): readonly string[] =>
  decision.refusal !== null
    ? [decision.refusal]
    : decision.targets.map(target =>
        target.to === 'trunk'
          ? `${target.trunk.name} ${target.number} ${target.caller}`
          : target.to === 'queue'
            ? `queue ${target.queue.number} ${target.agents.map(({ extension }) => extension.number).join()}`
            : `${target.to} ${target.extension.number}`,
      )

behaviour('a registrant is the extension of that number, of the tenant of exactly that domain', async given => {
  const { records } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const beta = await tenant(records, 'beta')
  const id = await acme.extension('101', { secret: 'one', voicemail_enabled: true, display_name: 'Desk' })
  await beta.extension('101', { secret: 'other' })
  for (const n of [1, 2]) await insert(records, 'devices', { extension_id: id, mac: `00156500000${n}` })
  const found = await directory.registrant('acme.test', '101')
  assert.deepEqual(found?.extensions.get('101'), {
    ...{ id, number: '101', displayName: 'Desk', secret: 'one', status: 'active', hasVoicemail: true, devices: 2 },
  })
  assert.equal((await directory.registrant('beta.test', '101'))?.extensions.get('101')?.devices, 1)
  assert.equal(await directory.registrant('ACME.test', '101'), null)
  assert.equal((await directory.registrant('acme.test', '999'))?.extensions.size, 0)
})

behaviour('a change is in the next answer: of a status, a secret, a domain, the settings', async given => {
  const { records } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const id = await acme.extension('101')
  const asked = () => directory.registrant('acme.test', '101')
  assert.equal((await asked())?.tenant.status, 'active')
  await change(records, 'tenants', acme.id, { status: 'suspended', settings: '{"limits":{"max_call_seconds":60}}' })
  await change(records, 'extensions', id, { secret: 'new', status: 'disabled' })
  const found = await asked()
  assert.deepEqual([found?.tenant.status, found?.limits.tenant.maxSeconds], ['suspended', 60])
  assert.deepEqual([found?.extensions.get('101')?.secret, found?.extensions.get('101')?.status], ['new', 'disabled'])
  await change(records, 'tenants', acme.id, { domain: 'other.test' })
  assert.equal(await asked(), null)
})

behaviour('a call inside finds the extension, or the queue with its agents', async given => {
  const { records } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const [, second, third] = [
    await acme.extension('101'),
    await acme.extension('102'),
    await acme.extension('103', { status: 'disabled' }),
  ]
  const queue = await insert(records, 'queues', { tenant_id: acme.id, queue_number: '800' })
  await insert(records, 'agents', { queue_id: queue.id, extension_id: second, penalty: 2 })
  await insert(records, 'agents', { queue_id: queue.id, extension_id: third, penalty: 1 })
  const dial = async (dialled: string) => {
    const request = { from: 'extension', extension: '101', dialled } as const
    const facts = await directory.forCall('acme', request)
    assert.ok(facts)
    return shown(decideCall(request, facts, NO_CALLS))
  }
  assert.deepEqual(await dial('102'), ['extension 102'])
  assert.deepEqual(await dial('103'), ['extension not active'])
  assert.deepEqual(await dial('800'), ['queue 800 102'])
  assert.equal(await directory.forCall('nobody', { from: 'extension', extension: '101', dialled: '102' }), null)
})

behaviour('a call out finds the routes, the trunks and the DID that is shown as the caller', async given => {
  const { records, trunkRoutes } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const desk = await acme.extension('101')
  await acme.extension('102')
  const one = await insert(records, 'trunks', { name: 'one' })
  const two = await insert(records, 'trunks', { name: 'two', number_form: 'digits' })
  await trunkRoutes.set({ tenant_id: null, prefix: '', via: [one.id] })
  const dial = async (extension: string, dialled = '0501234567') => {
    const request = { from: 'extension', extension, dialled } as const
    const facts = await directory.forCall('acme', request)
    assert.ok(facts)
    return shown(decideCall(request, facts, NO_CALLS))
  }
  assert.deepEqual(await dial('101'), ['one +380501234567 null'])
  await acme.did('+380441110001', [], { provider: 'two' })
  await acme.did('+380441110002', [], { provider: 'A note' })
  await acme.did('+380441110003', [['extension', desk]])
  await trunkRoutes.set({ tenant_id: acme.id, prefix: '380', via: [two.id, one.id] })
  assert.deepEqual(await dial('101'), ['two 380501234567 380441110003', 'one +380501234567 +380441110003'])
  assert.deepEqual(await dial('102'), ['two 380501234567 380441110001', 'one +380501234567 +380441110002'])
  await records.remove(resourceNamed('trunks'), two.id, { cascade: false })
  assert.deepEqual(await dial('102'), ['one +380501234567 +380441110001'])
  assert.deepEqual(await dial('102', '+12125550100'), ['one +12125550100 +380441110001'])
})

behaviour('a call for a DID finds its tenant and its routes, however the carrier writes the number', async given => {
  const { records } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const beta = await tenant(records, 'beta', { settings: '{"dialling":{"country":"US"}}' })
  const first = await acme.extension('101')
  const second = await acme.extension('102')
  const bring = async (dialled: string) => {
    const request = { from: 'trunk', trunk: null, caller: '1', dialled } as const
    const facts = await directory.forDid(dialled)
    return facts && [facts.directory.tenant.slug, ...shown(decideCall(request, facts, NO_CALLS))]
  }
  assert.equal(await bring('380441234567'), null)
  const id = await acme.did('+380 (44) 123-45-67', [
    ['extension', second],
    ['extension', first],
  ])
  await beta.did('212-555-0100')
  for (const dialled of ['380441234567', '+380441234567', '00380441234567', '0441234567'])
    assert.deepEqual(await bring(dialled), ['acme', 'extension 102', 'extension 101'], dialled)
  for (const dialled of ['12125550100', '2125550100'])
    assert.deepEqual(await bring(dialled), ['beta', 'no route'], dialled)
  for (const dialled of ['+2125550100', '441234567x', '', '101']) assert.equal(await bring(dialled), null, dialled)
  await change(records, 'dids', id, { number: '+380447654321' })
  assert.equal(await bring('380441234567'), null)
  assert.deepEqual(await bring('380447654321'), ['acme', 'extension 102', 'extension 101'])
  await records.remove(resourceNamed('dids'), id, { cascade: false })
  assert.equal(await bring('380447654321'), null)
})

behaviour('if two DIDs have one number, the older one gets its calls', async given => {
  const { records } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const beta = await tenant(records, 'beta')
  const first = await acme.did('+380441234567')
  await beta.did('0441234567')
  const owner = async () => (await directory.forDid('380441234567'))?.directory.tenant.slug
  assert.equal(await owner(), 'acme')
  assert.deepEqual((await directory.whole('beta'))?.dids.size, 0)
  await records.remove(resourceNamed('dids'), first, { cascade: false })
  assert.equal(await owner(), 'beta')
  assert.deepEqual((await directory.whole('beta'))?.dids.size, 1)
})

behaviour('a call that is dialled to an own DID finds its routes, and one to a foreign DID does not', async given => {
  const { records } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const beta = await tenant(records, 'beta')
  await acme.extension('101')
  await acme.did('+380441110001', [['extension', await acme.extension('102')]])
  await beta.did('+380441110002', [['extension', await beta.extension('103')]])
  const dial = async (dialled: string) => {
    const request = { from: 'extension', extension: '101', dialled } as const
    const facts = await directory.forCall('acme', request)
    assert.ok(facts)
    return shown(decideCall(request, facts, NO_CALLS))
  }
  assert.deepEqual(await dial('0441110001'), ['extension 102'])
  assert.deepEqual(await dial('0441110002'), ['no trunk'])
})

behaviour('a rate is looked up only if a limit needs one, or on request', async given => {
  const { records } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  await acme.extension('101')
  await insert(records, 'rates', { tenant_id: acme.id, prefix: '38050' })
  const rate = async (dialled: string, isExplained = false) => {
    const facts = await directory.forCall('acme', { from: 'extension', extension: '101', dialled }, { isExplained })
    return facts?.rate === undefined ? undefined : (facts.rate?.prefix ?? null)
  }
  assert.deepEqual([await rate('0501234567'), await rate('0501234567', true)], [undefined, '38050'])
  await change(records, 'tenants', acme.id, { settings: '{"dialling":{"country":"UA"},"limits":{"rated_only":true}}' })
  assert.deepEqual([await rate('0501234567'), await rate('0441234567'), await rate('101')], ['38050', null, undefined])
})

behaviour('the usage of limits is counted for the tenant and for the extension', async given => {
  const { records, clock } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme', {
    settings: '{"limits":{"calls_per_day":5,"extension":{"cost_per_day":5}}}',
  })
  const [desk, other] = [await acme.extension('101'), await acme.extension('102')]
  const now = clock.now()
  for (const extension_id of [desk, desk, other])
    await insert(records, 'cdrs', { tenant_id: acme.id, extension_id, cost: 100, started_at: now, ended_at: now })
  const facts = await directory.forCall('acme', { from: 'extension', extension: '101', dialled: '+380501234567' })
  assert.deepEqual([facts?.used.tenant.calls_per_day, facts?.used.extension.cost_per_day], [3, 200])
})

behaviour('what calls in progress have cost so far counts for limits on cost', async given => {
  const { records, clock } = given
  const directory = given.switchDirectory()
  const limits = '"limits":{"cost_per_day":5,"extension":{"cost_per_hour":5}}'
  const acme = await tenant(records, 'acme', { settings: `{"dialling":{"country":"UA"},${limits}}` })
  for (const number of ['101', '102']) await acme.extension(number)
  await insert(records, 'rates', { tenant_id: acme.id, prefix: '380', cost_per_minute: 600, billing_increment: 1 })
  const startedAt = addSeconds(clock.now(), -60)
  const up = liveCall({ extension: '101', to: '+380501234567', startedAt, answeredAt: startedAt })
  const live = [up, { ...up, extension: '102' }, { ...up, tenant: 'beta' }, { ...up, answeredAt: null }]
  const asked = { from: 'extension', extension: '101', dialled: '+380501234568' } as const
  const facts = await directory.forCall('acme', asked, { live: inProgress(live) })
  assert.deepEqual([facts?.used.tenant.cost_per_day, facts?.used.extension.cost_per_hour], [1220, 610])
  assert.equal((await directory.forCall('acme', asked))?.used.tenant.cost_per_day, 0)
})

behaviour('the whole of a tenant has all its records, and all tenants come by id', async given => {
  const { records, trunkRoutes } = given
  const directory = given.switchDirectory()
  const acme = await tenant(records, 'acme')
  const beta = await tenant(records, 'beta')
  const numbers = Array.from({ length: 501 }, (_, n) => String(1000 + n))
  await change(records, 'tenants', acme.id, { max_extensions: 600 })
  for (const number of numbers) await acme.extension(number)
  await beta.did('+380441234567', [['extension', await beta.extension('101')]])
  const trunk = await insert(records, 'trunks', { name: 'one', codecs: 'PCMA, PCMU', max_calls: null })
  await trunkRoutes.set({ tenant_id: acme.id, prefix: '', via: [trunk.id] })
  const all = []
  for await (const each of directory.all()) all.push(each)
  assert.deepEqual(
    all.map(each => each.tenant.slug),
    ['acme', 'beta'],
  )
  assert.deepEqual([...(all[0]?.extensions.keys() ?? [])], numbers)
  assert.deepEqual(
    all.map(each => each.trunkRoutes.length),
    [1, 0],
  )
  assert.deepEqual(all[1]?.dids.get('380441234567')?.targets, [{ type: 'extension', number: '101' }])
  assert.deepEqual(all[1]?.trunks.get('one')?.codecs, ['PCMA', 'PCMU'])
  assert.equal(await directory.whole('nobody'), null)
})
