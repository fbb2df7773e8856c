import assert from 'node:assert/strict'
import { AppError, type FieldErrors } from '../../../core/errors.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { idsOf, insert, listOf, row, shown } from '../../support/data/rows.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'
import { contract } from '../contract.ts'

export const recordRulesContract = contract('the rules of records', ['records', 'messages'])
const { behaviour } = recordRulesContract

const tenants = resourceNamed('tenants')
const extensions = resourceNamed('extensions')
const routes = resourceNamed('routes')

const sentencesOf = (errors: FieldErrors): unknown =>
  Object.fromEntries(errors.map(({ field, sentence }) => [field, [sentence]]))

/** The sentences with which a change is refused. */
async function refusal(change: Promise<unknown>): Promise<unknown> {
  try {
    await change
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid', String(error))
    return sentencesOf(error.details.errors ?? [])
  }
  return assert.fail('the change was not refused')
}

const DANGLING = { tenant_id: ['The selected tenant id is invalid.'] }
const TAKEN = { slug: ['The slug has already been taken.'] }
const FULL = { tenant_id: ['The tenant has reached its limit of 1 extensions.'] }

behaviour('a reference to nothing is refused', async ({ records }) => {
  assert.deepEqual(await refusal(records.insert(extensions, row('extensions', { tenant_id: 9 }))), DANGLING)
  const tenant = await insert(records, 'tenants')
  const extension = await insert(records, 'extensions', { tenant_id: tenant.id })
  assert.deepEqual(await refusal(records.update(extensions, extension.id, { tenant_id: 9 })), DANGLING)
  assert.deepEqual(
    await refusal(records.insert(resourceNamed('cdrs'), row('cdrs', { tenant_id: tenant.id, extension_id: 99 }))),
    { extension_id: ['The selected extension id is invalid.'] },
  )
})

behaviour('a reference to one of two kinds is looked up in the kind that is named', async ({ records }) => {
  const tenant = await insert(records, 'tenants')
  const did = await insert(records, 'dids', { tenant_id: tenant.id })
  const queue = await insert(records, 'queues', { tenant_id: tenant.id })
  const target = { did_id: did.id, target_id: queue.id }
  assert.deepEqual(await refusal(records.insert(routes, row('routes', { ...target, target_type: 'extension' }))), {
    target_id: ['The selected target id is invalid.'],
  })
  const route = await insert(records, 'routes', { ...target, target_type: 'queue' })
  assert.ok(route.id)
  assert.deepEqual(await refusal(records.update(routes, route.id, { target_type: 'extension' })), {
    target_id: ['The selected target id is invalid.'],
  })
})

behaviour(
  'a unique value is refused the second time, with the error on the last of its fields',
  async ({ records }) => {
    const first = await insert(records, 'tenants', { slug: 'a', domain: 'a.example.com' })
    const second = await insert(records, 'tenants', { slug: 'b' })
    assert.deepEqual(await refusal(records.insert(tenants, row('tenants', { slug: 'a' }))), TAKEN)
    assert.deepEqual(await refusal(records.update(tenants, second.id, { slug: 'a' })), TAKEN)
    assert.deepEqual(await refusal(records.insert(tenants, row('tenants', { slug: 'a', domain: 'a.example.com' }))), {
      ...TAKEN,
      domain: ['The domain has already been taken.'],
    })
    await records.update(tenants, first.id, { slug: 'a' })
    await insert(records, 'extensions', { tenant_id: first.id, extension_number: '101' })
    await insert(records, 'extensions', { tenant_id: second.id, extension_number: '101' })
    assert.deepEqual(
      await refusal(records.insert(extensions, row('extensions', { tenant_id: first.id, extension_number: '101' }))),
      { extension_number: ['The extension number has already been taken.'] },
    )
  },
)

behaviour('a refused change leaves nothing behind', async ({ records }) => {
  const tenant = await insert(records, 'tenants', { slug: 'a' })
  await refusal(records.insert(tenants, row('tenants', { slug: 'a' })))
  await insert(records, 'tenants', { slug: 'b' })
  await refusal(records.update(tenants, tenant.id, { slug: 'b', name: 'changed' }))
  assert.deepEqual(
    (await listOf(records, 'tenants')).map(({ slug }) => slug),
    ['b', 'a'],
  )
  assert.notEqual((await records.find(tenants, tenant.id))?.name, 'changed')
})

behaviour(
  'a tenant takes as many extensions as it may have, whether they are created or moved',
  async ({ records }) => {
    const small = await insert(records, 'tenants', { max_extensions: 1 })
    const other = await insert(records, 'tenants')
    const first = await insert(records, 'extensions', { tenant_id: small.id })
    const moved = await insert(records, 'extensions', { tenant_id: other.id })
    assert.deepEqual(await refusal(records.insert(extensions, row('extensions', { tenant_id: small.id }))), FULL)
    assert.deepEqual(await refusal(records.update(extensions, moved.id, { tenant_id: small.id })), FULL)
    await records.update(extensions, first.id, { tenant_id: small.id, display_name: 'still here' })
    await records.remove(extensions, first.id, { cascade: false })
    await records.update(extensions, moved.id, { tenant_id: small.id })
  },
)

behaviour('a limit may be lowered below the present count, and then accepts no more', async ({ records }) => {
  const tenant = await insert(records, 'tenants', { max_extensions: 3 })
  for (let n = 0; n < 3; n++) await insert(records, 'extensions', { tenant_id: tenant.id })
  await records.update(tenants, tenant.id, { max_extensions: 1 })
  const [first] = await idsOf(records, 'extensions')
  await records.update(extensions, first ?? 0, { display_name: 'renamed' })
  assert.deepEqual(await refusal(records.insert(extensions, row('extensions', { tenant_id: tenant.id }))), FULL)
  await records.remove(extensions, first ?? 0, { cascade: false })
  assert.deepEqual(await refusal(records.insert(extensions, row('extensions', { tenant_id: tenant.id }))), FULL)
})

behaviour('a reached limit and a taken number are reported together', async ({ records }) => {
  const tenant = await insert(records, 'tenants', { max_extensions: 1 })
  await insert(records, 'extensions', { tenant_id: tenant.id, extension_number: '101' })
  const values = row('extensions', { tenant_id: tenant.id, extension_number: '101' })
  const both = { ...FULL, extension_number: ['The extension number has already been taken.'] }
  assert.deepEqual(await refusal(records.insert(extensions, values)), both)
  assert.deepEqual(sentencesOf(await records.violations(extensions, values)), both)
})

behaviour('violations are returned before a change, for the given fields', async ({ records }) => {
  const tenant = await insert(records, 'tenants', { slug: 'a' })
  const second = await insert(records, 'tenants', { slug: 'b' })
  assert.deepEqual(sentencesOf(await records.violations(tenants, { slug: 'a' })), TAKEN)
  assert.deepEqual(sentencesOf(await records.violations(tenants, { slug: 'a' }, tenant.id)), {})
  assert.deepEqual(sentencesOf(await records.violations(tenants, { slug: 'a' }, second.id)), TAKEN)
  assert.deepEqual(sentencesOf(await records.violations(tenants, { name: 'a' })), {})
  assert.deepEqual(sentencesOf(await records.violations(extensions, { tenant_id: 99 })), DANGLING)
  assert.deepEqual(sentencesOf(await records.violations(extensions, { extension_number: '1' })), {})
})

behaviour('a tenant that others need is not removed; the conflict counts them', async ({ records }) => {
  const tenant = await insert(records, 'tenants')
  const of = { tenant_id: tenant.id }
  await insert(records, 'extensions', of)
  await insert(records, 'dids', of)
  await insert(records, 'dids', of)
  await insert(records, 'cdrs', of)
  await assert.rejects(records.remove(tenants, tenant.id, { cascade: false }), (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'conflict')
    assert.equal(error.message, 'The tenant still has 1 Extension, 2 DIDs, 1 CDR.')
    assert.deepEqual(error.details.dependants, { extensions: 1, dids: 2, cdrs: 1 })
    return true
  })
  assert.equal((await listOf(records, 'dids')).length, 2)
  assert.ok(await records.find(tenants, tenant.id))
})

behaviour('a cascade removes a tenant with all that is its own, and nothing of others', async ({ records }) => {
  const [doomed, kept] = [await insert(records, 'tenants'), await insert(records, 'tenants')]
  for (const { id } of [doomed, kept]) {
    const extension = await insert(records, 'extensions', { tenant_id: id })
    const queue = await insert(records, 'queues', { tenant_id: id })
    const did = await insert(records, 'dids', { tenant_id: id })
    await insert(records, 'rates', { tenant_id: id })
    await insert(records, 'cdrs', { tenant_id: id, extension_id: extension.id })
    await insert(records, 'devices', { extension_id: extension.id })
    await insert(records, 'agents', { queue_id: queue.id, extension_id: extension.id })
    await insert(records, 'routes', { did_id: did.id, target_type: 'queue', target_id: queue.id })
  }
  await records.remove(tenants, doomed.id, { cascade: true })
  for (const name of ['tenants', 'extensions', 'queues', 'dids', 'rates', 'cdrs', 'devices', 'agents', 'routes'])
    assert.equal((await idsOf(records, name)).length, 1, name)
  assert.deepEqual(await idsOf(records, 'tenants'), [kept.id])
})

behaviour('removing an extension keeps its calls, and deletes its devices, agents and routes', async ({ records }) => {
  const tenant = await insert(records, 'tenants')
  const extension = await insert(records, 'extensions', { tenant_id: tenant.id })
  const queue = await insert(records, 'queues', { tenant_id: tenant.id })
  const did = await insert(records, 'dids', { tenant_id: tenant.id })
  const call = await insert(records, 'cdrs', { tenant_id: tenant.id, extension_id: extension.id })
  await insert(records, 'devices', { extension_id: extension.id })
  await insert(records, 'agents', { queue_id: queue.id, extension_id: extension.id })
  const target = { did_id: did.id, target_id: extension.id }
  await insert(records, 'routes', { ...target, target_type: 'extension' })
  await records.remove(extensions, extension.id, { cascade: false })
  assert.equal((await records.find(resourceNamed('cdrs'), call.id))?.extension_id, null)
  for (const name of ['devices', 'agents', 'routes']) assert.deepEqual(await idsOf(records, name), [], name)
})

behaviour('messages outlive their gateway and their tenant', async ({ records, messages, clock }) => {
  const tenant = await insert(records, 'tenants')
  const gateway = await insert(records, 'sms_gateways')
  const { id: _, ...message } = queuedMessage({ sms_gateway_id: gateway.id, tenant_id: tenant.id })
  await messages.create(message, clock.now())
  const before = shown((await records.show(resourceNamed('sms_gateways'), gateway.id)) ?? '')
  assert.equal(before.messages_count, 1)
  await records.remove(resourceNamed('sms_gateways'), gateway.id, { cascade: false })
  await records.remove(tenants, tenant.id, { cascade: false })
  const [left] = await listOf(records, 'sms_messages')
  assert.deepEqual([left?.sms_gateway_id, left?.tenant_id], [gateway.id, null])
})
