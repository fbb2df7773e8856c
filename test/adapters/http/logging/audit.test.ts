import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '../../../../core/audit.ts'
import { FOREVER } from '../../../../core/rating/period.ts'
import { startService, type TestService } from '../../../support/http/app.ts'
import { addGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

const TENANT = { name: 'Acme', slug: 'acme', domain: 'acme.test', status: 'active', timezone: 'UTC', max_extensions: 3 }

async function trail({ trunkline }: TestService): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of trunkline.storage.audit.list(FOREVER)) entries.push(entry)
  return entries
}

test('a change over HTTP is noted with the account, its address and the values before and after', async t => {
  const service = await startService()
  t.after(() => service.close())
  const session = await service.login()
  await service.request('POST', '/api/tenants', { json: TENANT, session })
  await service.request('PUT', '/api/tenants/1', { json: { ...TENANT, name: 'Acme Ltd' }, session })
  const [update, create] = await trail(service)
  assert.ok(update && create)
  assert.deepEqual([create.action, create.resource, create.record_id], ['create', 'tenants', 1])
  assert.deepEqual([update.actor, update.origin], ['admin@example.com', '127.0.0.1'])
  assert.deepEqual(update.changes, { name: { before: 'Acme', after: 'Acme Ltd' } })
})

test('a changed secret is noted without its value', async t => {
  const service = await startService()
  t.after(() => service.close())
  const session = await service.login()
  await service.request('POST', '/api/tenants', { json: TENANT, session })
  const extension = {
    tenant_id: 1,
    extension_number: '101',
    display_name: 'Desk',
    secret: 'hush-one',
    status: 'active',
  }
  await service.request('POST', '/api/extensions', { json: extension, session })
  await service.request('PUT', '/api/extensions/1', { json: { ...extension, secret: 'hush-two' }, session })
  const noted = JSON.stringify(await trail(service))
  assert.match(noted, /"secret":"changed"/)
  assert.doesNotMatch(noted, /hush/)
})

test('refused requests, and those that change nothing, leave no entry', async t => {
  const service = await startService()
  t.after(() => service.close())
  const session = await service.login()
  await service.request('POST', '/api/tenants', { json: TENANT, session })
  const before = (await trail(service)).length
  await service.request('POST', '/api/tenants', { json: TENANT, session })
  await service.request('PUT', '/api/tenants/1', { json: TENANT, session })
  await service.request('DELETE', '/api/tenants/9', { session })
  assert.equal((await trail(service)).length, before)
})

test('a sent message is noted with its sender and recipient, without its text', async t => {
  const gateway = await startGateway()
  const service = await startService()
  t.after(async () => {
    await service.close()
    await gateway.close()
  })
  const session = await service.login()
  const meta = { dlr_token_in: 'query:token' }
  const id = await addGateway(service, session, gateway, { callback_token: 'hush-token', meta })
  const path = `/api/sms-gateways/${id}/send`
  await service.request('POST', path, { json: { ...MESSAGE, message: 'hush-text' }, session })
  await service.request('POST', path, { json: { ...MESSAGE, to_number: 'nobody' }, session })
  const [sent, before] = await trail(service)
  assert.ok(sent && before)
  assert.deepEqual([sent.action, sent.resource, sent.record_id], ['send', 'sms_messages', 1])
  assert.deepEqual([sent.actor, sent.origin], ['admin@example.com', '127.0.0.1'])
  const { to_number, from_sender } = MESSAGE
  assert.deepEqual(sent.changes, {
    sms_gateway_id: { after: id },
    to_number: { after: to_number },
    from_sender: { after: from_sender },
  })
  assert.equal(before.resource, 'sms_gateways')
  assert.doesNotMatch(JSON.stringify(await trail(service)), /hush/)
})
