import assert from 'node:assert/strict'
import { AppError } from '../../../core/errors.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { insert, row, shown } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

export const recordsContract = contract('records', ['records'])
const { behaviour } = recordsContract

const tenants = resourceNamed('tenants')
const extensions = resourceNamed('extensions')
const cdrs = resourceNamed('cdrs')
const gateways = resourceNamed('sms_gateways')

behaviour('a new record is returned with its id and both timestamps', async ({ records, clock }) => {
  const before = clock.now()
  const tenant = shown(await records.insert(tenants, row('tenants', { name: 'Acme', slug: 'acme' })))
  assert.ok(tenant.id > 0)
  assert.deepEqual([tenant.name, tenant.slug], ['Acme', 'acme'])
  assert.equal(tenant.created_at, tenant.updated_at)
  assert.ok(String(tenant.created_at) > before)
})

behaviour('each kind of value is shown in the form of the API', async ({ records }) => {
  const tenant = await insert(records, 'tenants', { settings: '{"id":12345678901234567890,"a":[1.50,null]}' })
  const json = (await records.show(tenants, tenant.id)) ?? ''
  assert.match(json, /"settings":\{"id":12345678901234567890,"a":\[1\.50,null\]\}/)
  const rate = await insert(records, 'rates', { tenant_id: tenant.id, cost_per_minute: 9_007_199_254_740_991 })
  assert.equal(rate.cost_per_minute, '900719925474.0991')
  assert.equal((await insert(records, 'rates', { tenant_id: tenant.id, cost_per_minute: 5 })).cost_per_minute, '0.0005')
  const extension = await insert(records, 'extensions', { tenant_id: tenant.id, voicemail_enabled: false })
  assert.deepEqual([extension.voicemail_enabled, extension.email, extension.secret], [false, null, ' s3cret '])
  const call = await insert(records, 'cdrs', { tenant_id: tenant.id })
  assert.deepEqual([call.started_at, call.duration_seconds], ['2026-03-01T12:00:00.000000Z', 61])
})

behaviour('an empty JSON object stays one, and null stays null', async ({ records }) => {
  assert.deepEqual((await insert(records, 'tenants', { settings: '{}' })).settings, {})
  assert.equal((await insert(records, 'tenants')).settings, null)
})

behaviour('any text is returned as stored', async ({ records }) => {
  for (const name of ['😀', `'"\\`, '\u001f\n\t', '%_', 'İß', '</script>\u2028']) {
    const tenant = await insert(records, 'tenants', { name })
    assert.equal(tenant.name, name)
    assert.equal((await records.find(tenants, tenant.id))?.name, name)
    assert.equal(shown((await records.show(tenants, tenant.id)) ?? '').name, name)
  }
})

behaviour('the stored values are found with secrets, in the form of the core', async ({ records }) => {
  const values = row('sms_gateways', { password: ' p ', meta: '{"a":1}', use_ssl: true })
  const gateway = shown(await records.insert(gateways, values))
  assert.equal('password' in gateway, false)
  const { id, created_at, updated_at, ...found } = (await records.find(gateways, gateway.id)) ?? {}
  assert.deepEqual(found, values)
  assert.deepEqual([id, created_at, updated_at], [gateway.id, gateway.created_at, gateway.updated_at])
})

behaviour('a missing record is null', async ({ records }) => {
  for (const id of [1, 0, -1, Number.MAX_SAFE_INTEGER]) {
    assert.equal(await records.find(tenants, id), null)
    assert.equal(await records.show(tenants, id), null)
  }
})

behaviour('an update changes only the named fields and the time of change', async ({ records }) => {
  const before = await insert(records, 'tenants', { settings: '{"a":1}' })
  const after = shown(await records.update(tenants, before.id, { name: 'Renamed', settings: '{"b":2}' }))
  assert.deepEqual(after, { ...before, name: 'Renamed', settings: { b: 2 }, updated_at: after.updated_at })
  assert.ok(String(after.updated_at) > String(before.updated_at))
  assert.deepEqual(shown((await records.show(tenants, before.id)) ?? '').name, 'Renamed')
})

behaviour('an update without fields is one too', async ({ records }) => {
  const before = await insert(records, 'tenants')
  const after = shown(await records.update(tenants, before.id, {}))
  assert.deepEqual({ ...after, updated_at: before.updated_at }, before)
})

behaviour('changing or removing a missing record is not_found', async ({ records }) => {
  await assert.rejects(records.update(tenants, 5, { name: 'x' }), { code: 'not_found', message: 'Tenant not found.' })
  await assert.rejects(records.remove(gateways, 5, { cascade: true }), {
    code: 'not_found',
    message: 'SMS gateway not found.',
  })
})

behaviour('the id of a deleted record is not reused', async ({ records }) => {
  const first = await insert(records, 'tenants')
  await records.remove(tenants, first.id, { cascade: false })
  assert.ok((await insert(records, 'tenants')).id > first.id)
})

behaviour('the single view embeds what a list does, and short arrays of its own', async ({ records }) => {
  const tenant = await insert(records, 'tenants')
  const extension = await insert(records, 'extensions', { tenant_id: tenant.id })
  const device = await insert(records, 'devices', { extension_id: extension.id })
  const single = shown((await records.show(extensions, extension.id)) ?? '')
  assert.deepEqual(single.tenant, tenant)
  assert.deepEqual(single.devices, [{ id: device.id, mac: device.mac, model: device.model }])
  const call = await insert(records, 'cdrs', { tenant_id: tenant.id, extension_id: extension.id })
  assert.deepEqual(shown((await records.show(cdrs, call.id)) ?? '').extension, {
    id: extension.id,
    extension_number: extension.extension_number,
    display_name: extension.display_name,
  })
  const bare = await insert(records, 'cdrs', { tenant_id: tenant.id })
  assert.equal(shown((await records.show(cdrs, bare.id)) ?? '').extension, null)
})

behaviour('records are counted by their values, and identified, two at most', async ({ records }) => {
  const first = await insert(records, 'tenants', { slug: 'one' })
  assert.deepEqual(await records.identify(tenants, { slug: 'one' }), [first.id])
  assert.deepEqual(await records.identify(tenants, { slug: 'none' }), [])
  for (let n = 0; n < 3; n++) await insert(records, 'dids', { tenant_id: first.id, number: '+1' })
  const same = { number: '+1', tenant_id: first.id }
  assert.equal((await records.identify(resourceNamed('dids'), same)).length, 2)
  assert.equal(await records.count(resourceNamed('dids'), same), 3)
})

behaviour(
  'several records are changed in one go, or none of them, with what is wrong with each',
  async ({ records }) => {
    const tenant = await insert(records, 'tenants')
    const made: number[] = []
    for (const number of ['101', '102', '103'])
      made.push((await insert(records, 'extensions', { tenant_id: tenant.id, extension_number: number })).id)
    const names = async () => Promise.all(made.map(async id => (await records.find(extensions, id))?.['display_name']))
    await records.updateAll(extensions, made, (_, id) => ({ display_name: `No. ${id}` }))
    assert.deepEqual(
      await names(),
      made.map(id => `No. ${id}`),
    )
    const before = await names()
    await assert.rejects(
      records.updateAll(extensions, [...made, 999], () => ({ extension_number: '200', display_name: 'All' })),
      (error: unknown) => {
        assert.ok(error instanceof AppError && error.code === 'invalid')
        const fields = (error.details.errors ?? []).map(({ field }) => field)
        assert.deepEqual(fields, [...made.slice(1).map(String), '999'])
        return true
      },
    )
    assert.deepEqual(await names(), before)
  },
)
