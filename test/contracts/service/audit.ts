import assert from 'node:assert/strict'
import type { AuditEntry } from '../../../core/audit.ts'
import type { AuditFilter } from '../../../core/ports/audit.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { insert, row, shown } from '../../support/data/rows.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'
import { contract, type Given, manyTimes } from '../contract.ts'

export const auditContract = contract('the audit trail', ['audit', 'records', 'messages', 'accounts', 'sessions'])
const { behaviour } = auditContract
type Ports = Given<'audit' | 'records' | 'messages' | 'accounts' | 'sessions'>

const ANN = { name: 'ann@example.com', origin: '192.0.2.1' }
const BOB = { name: 'bob@example.com', origin: 'the command line' }
const tenants = resourceNamed('tenants')

/** The whole trail, or the part that the filter selects. */
async function trail({ audit }: Pick<Ports, 'audit'>, filter: Partial<AuditFilter> = {}): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of audit.list({ ...FOREVER, ...filter })) entries.push(entry)
  return entries
}

/** Each entry as its action and record. */
const inShort = (entries: readonly AuditEntry[]): string[] =>
  entries.map(({ action, resource, record_id, record_name }) => `${action} ${resource} ${record_id} ${record_name}`)

behaviour('a change is noted with its moment, its actor, its record and what differs', async ports => {
  const { records, clock } = ports
  const before = clock.now()
  const { id } = shown(await records.insert(tenants, row('tenants', { slug: 'acme', name: 'Acme' }), ANN))
  await records.update(tenants, id, { name: 'Acme Ltd', slug: 'acme' }, BOB)
  await records.remove(tenants, id, { cascade: true }, ANN)
  const [removal, update, creation] = await trail(ports)
  assert.ok(removal && update && creation)
  assert.deepEqual(inShort([creation, update, removal]), [
    `create tenants ${id} acme`,
    `update tenants ${id} acme`,
    `delete tenants ${id} acme`,
  ])
  assert.deepEqual([update.actor, update.origin], [BOB.name, BOB.origin])
  assert.deepEqual(update.changes, { name: { before: 'Acme', after: 'Acme Ltd' } })
  assert.deepEqual(creation.changes.name, { after: 'Acme' })
  assert.deepEqual([removal.changes.name, removal.changes.cascade], [{ before: 'Acme Ltd' }, true])
  assert.ok(before < creation.at && creation.at < update.at && update.at < removal.at)
  assert.ok(creation.id < update.id && update.id < removal.id)
})

behaviour('a record has the name by which a person knows it, with its owner', async ports => {
  const { records } = ports
  const tenant = await insert(records, 'tenants', { slug: 'acme' })
  const of = { tenant_id: tenant.id }
  const extension = await insert(records, 'extensions', { ...of, extension_number: '101' })
  const call = await insert(records, 'cdrs', of)
  await insert(records, 'sms_gateways', { name: 'Jasmin' })
  assert.deepEqual(inShort(await trail(ports)).slice(0, 3), [
    'create sms_gateways 1 Jasmin',
    `create cdrs ${call.id} null`,
    `create extensions ${extension.id} acme/101`,
  ])
})

behaviour('a secret is only noted to have changed, and an amount as the API shows it', async ports => {
  const { records } = ports
  const { id: tenant_id } = await insert(records, 'tenants')
  const { id } = await insert(records, 'extensions', { tenant_id, secret: 'hush-one' })
  await records.update(resourceNamed('extensions'), id, { secret: 'hush-two' })
  const rate = await insert(records, 'rates', { tenant_id, cost_per_minute: 5 })
  await records.update(resourceNamed('rates'), rate.id, { cost_per_minute: 123 })
  const [price, , secret] = await trail(ports)
  assert.deepEqual(price?.changes, { cost_per_minute: { before: '0.0005', after: '0.0123' } })
  assert.deepEqual(secret?.changes, { secret: 'changed' })
  assert.doesNotMatch(JSON.stringify(await trail(ports)), /hush/)
})

behaviour('refused changes, and those that change nothing, are not noted', async ports => {
  const { records, accounts, sessions } = ports
  const { id } = await insert(records, 'tenants', { slug: 'acme', name: 'Acme' })
  await insert(records, 'extensions', { tenant_id: id })
  const before = await trail(ports)
  await assert.rejects(records.insert(tenants, row('tenants', { slug: 'acme' })))
  await assert.rejects(records.update(tenants, id + 1, { name: 'x' }))
  await assert.rejects(records.remove(tenants, id, { cascade: false }))
  await assert.rejects(records.remove(tenants, id + 1, { cascade: true }))
  await assert.rejects(accounts.remove(1))
  await records.update(tenants, id, { name: 'Acme' })
  await sessions.revoke('all')
  assert.deepEqual(await trail(ports), before)
})

behaviour('accounts are noted by their e-mail, without a password, and the ends of their sessions', async ports => {
  const { accounts, sessions, clock } = ports
  const eve = { name: 'Eve', email: 'eve@example.com', role: 'admin', passwordHash: 'hush' } as const
  await accounts.create(eve)
  const { id } = await accounts.create({ ...eve, email: 'ann@example.com' }, ANN)
  await accounts.change(id, { role: 'manager', passwordHash: 'hush-hush', tenantId: 7, name: 'Ann' }, ANN)
  await sessions.open('a'.repeat(64), { id, passwordHash: 'hush-hush' }, { createdAt: clock.now(), expiresAt: '9999' })
  await sessions.revoke({ accountId: id }, ANN)
  await accounts.remove(id, ANN)
  const [removal, revoked, , change, creation] = await trail(ports)
  assert.ok(removal && revoked && change && creation)
  assert.deepEqual(
    inShort([creation, change, revoked, removal]),
    ['create', 'update', 'revoke', 'delete'].map(action => `${action} accounts ${id} ann@example.com`),
  )
  assert.deepEqual(creation.changes, {
    name: { after: 'Eve' },
    email: { after: 'ann@example.com' },
    role: { after: 'admin' },
  })
  assert.deepEqual(change.changes, {
    password: 'changed',
    name: { before: 'Eve', after: 'Ann' },
    role: { before: 'admin', after: 'manager' },
    tenant_id: { before: null, after: 7 },
  })
  for (const { actor, origin } of [creation, change, revoked, removal]) assert.deepEqual({ name: actor, origin }, ANN)
  assert.deepEqual(revoked.changes, { sessions: 1 })
  assert.doesNotMatch(JSON.stringify(await trail(ports)), /hush/)
})

behaviour('a message is noted when it is sent, by whom and to whom, without its text', async ports => {
  const { id: _, ...message } = queuedMessage({ message: 'hush', callback_url: 'http://127.0.0.1/?token=hush' })
  const { id } = await ports.messages.create(message, '9999', ANN)
  const [sent, ...others] = await trail(ports)
  assert.ok(sent && others.length === 0)
  assert.deepEqual([sent.action, sent.resource, sent.record_id, sent.actor], ['send', 'sms_messages', id, ANN.name])
  assert.deepEqual(sent.changes, {
    sms_gateway_id: { after: message.sms_gateway_id },
    to_number: { after: message.to_number },
    from_sender: { after: message.from_sender },
  })
})

behaviour('changes without an account are attributed to the service itself', async ports => {
  await insert(ports.records, 'tenants')
  const [{ actor, origin } = { actor: '', origin: '' }] = await trail(ports)
  assert.deepEqual([actor, origin], ['trunkline', 'the service itself'])
})

behaviour('the trail is filtered by actor, action, resource, record and time', async ports => {
  const { records } = ports
  const { id } = shown(await records.insert(tenants, row('tenants', { slug: 'old' }), ANN))
  const { id: other } = shown(await records.insert(tenants, row('tenants', { slug: 'other' }), BOB))
  await records.update(tenants, id, { slug: 'new' }, BOB)
  await insert(records, 'sms_gateways', { name: 'other' })
  const [, , second, first] = await trail(ports)
  assert.ok(first && second)
  const found = async (filter: Partial<AuditFilter>): Promise<string[]> => inShort(await trail(ports, filter))
  const [created, changed] = [`create tenants ${id} old`, `update tenants ${id} new`]
  assert.deepEqual(await found({ actor: BOB.name }), [changed, `create tenants ${other} other`])
  assert.deepEqual(await found({ action: 'update' }), [changed])
  assert.deepEqual(await found({ resource: 'sms_gateways' }), ['create sms_gateways 1 other'])
  assert.deepEqual(await found({ resource: 'tenants', recordId: id }), [changed, created])
  assert.deepEqual(await found({ resource: 'tenants', recordName: 'old' }), [created])
  assert.deepEqual(await found({ resource: 'tenants', recordId: other, recordName: 'old' }), [
    `create tenants ${other} other`,
    created,
  ])
  assert.deepEqual(await found({ from: first.at, to: second.at }), [created])
  assert.deepEqual(await found({ actor: 'nobody' }), [])
})

behaviour('a long trail is listed completely, latest first, undisturbed by new changes', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const renamed = (n: number) => ports.records.update(tenants, id, { name: `Name ${n}` })
  await manyTimes(1_100, renamed)
  const ids: number[] = []
  for await (const entry of ports.audit.list(FOREVER)) {
    if (ids.length === 10) await insert(ports.records, 'tenants')
    ids.push(entry.id)
  }
  assert.equal(ids.length, 1_101)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a),
  )
})

behaviour('actions that change no record are noted as well, under the name of their subject', async ports => {
  const { audit, records } = ports
  assert.equal(await audit.latest(), 0)
  const { id } = await insert(records, 'tenants', { slug: 'acme' })
  await audit.note('export', 'tenants', id, { file: 'a.csv' }, ANN)
  await audit.note('backup', 'database', null, {})
  const [backup, exported] = await trail(ports)
  assert.deepEqual(inShort(await trail(ports)).slice(0, 2), ['backup database null null', `export tenants ${id} acme`])
  assert.deepEqual([exported?.actor, exported?.changes], [ANN.name, { file: 'a.csv' }])
  assert.equal(await audit.latest(), backup?.id)
})

behaviour('security entries can be listed separately, and followed', async ports => {
  const { audit, records, accounts, sessions, clock } = ports
  await insert(records, 'tenants')
  const { id } = await accounts.create({ name: 'Ann', email: ANN.name, role: 'admin', passwordHash: 'hash' })
  const life = { createdAt: clock.now(), expiresAt: '9999' }
  await sessions.open('a'.repeat(64), { id, passwordHash: 'hash' }, life, ANN)
  await sessions.end('a'.repeat(64), ANN)
  await sessions.end('a'.repeat(64), ANN)
  await audit.note('token-refused', 'sms_gateways', null, {})
  const trunk = await insert(records, 'trunks', { name: 'carrier-one' })
  await audit.note('update', 'trunks', trunk.id, { host: { before: 'a', after: 'b' } })
  await audit.note('create', 'trunk_routes', null, {})
  await audit.note('create', 'sms_routes', null, {})
  const expected = [
    `create accounts ${id} ${ANN.name}`,
    `login accounts ${id} ${ANN.name}`,
    `logout accounts ${id} ${ANN.name}`,
    'token-refused sms_gateways null null',
    `update trunks ${trunk.id} carrier-one`,
    'create trunk_routes null null',
  ]
  assert.deepEqual(inShort(await trail(ports, { security: true })), expected.toReversed())
  const followed = await audit.securityAfter(0)
  assert.deepEqual(inShort(followed), expected)
  assert.deepEqual(inShort(await audit.securityAfter(followed[1]?.id ?? 0)), expected.slice(2))
  await manyTimes(110, () => audit.note('lockout', 'accounts', id, {}))
  assert.equal((await audit.securityAfter(0)).length, 100)
})
