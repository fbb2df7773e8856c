import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AuditEntry } from '../../../../core/audit.ts'
import { FOREVER } from '../../../../core/rating/period.ts'
import { drained, execute } from '../../../support/data/stored.ts'
import { ADMIN, type Answer, startService, type TestService } from '../../../support/http/app.ts'

let service: TestService
before(async () => {
  service = await startService({ trusted_proxies: 1 })
})
after(() => service.close())

const attempt = (address: string, members: Partial<typeof ADMIN> = {}): Promise<Answer> =>
  service.request('POST', '/api/admin/login', {
    json: { ...ADMIN, ...members },
    headers: { 'x-forwarded-for': address },
  })

/** The new entries of the trail, earliest first, once there are so many: no answer waits for its entry. */
async function since(id: number, least: number): Promise<AuditEntry[]> {
  for (let i = 0; i < 3; i++) {
    await drained(service.trunkline.storage)
    await new Promise(setImmediate)
  }
  const entries: AuditEntry[] = []
  for await (const entry of service.trunkline.storage.audit.list({ ...FOREVER, security: true }))
    if (entry.id > id) entries.push(entry)
  return entries.length < least ? since(id, least) : entries.reverse()
}

const latest = (): Promise<number> => service.trunkline.storage.audit.latest()

const lines = (entries: readonly AuditEntry[]) =>
  entries.map(({ action, actor, origin, record_name }) => [action, actor, origin, record_name])

describe('the security trail', () => {
  it('has logins and logouts, by whom and from where', async () => {
    const start = await latest()
    const { headers } = await attempt('192.0.2.1', { email: 'ADMIN@example.com' })
    const session = (headers.getSetCookie().at(-1) ?? '').split(';')[0] ?? ''
    const logout = () =>
      service.request('POST', '/api/admin/logout', { session, headers: { 'x-forwarded-for': '192.0.2.2' } })
    await logout()
    await logout()
    assert.deepEqual(lines(await since(start, 2)), [
      ['login', ADMIN.email, '192.0.2.1', ADMIN.email],
      ['logout', ADMIN.email, '192.0.2.2', ADMIN.email],
    ])
  })

  it('has failed logins, and the lockout that they lead to once', async () => {
    const start = await latest()
    for (let i = 0; i < 13; i++) await attempt('192.0.2.3', { password: 'wrong' })
    // The lockout may be stored before the last failure.
    assert.deepEqual(lines(await since(start, 6)).sort(), [
      ['lockout', ADMIN.email, '192.0.2.3', ADMIN.email],
      ...Array.from({ length: 5 }, () => ['login-failed', ADMIN.email, '192.0.2.3', ADMIN.email]),
    ])
  })

  it('has no e-mail of unknown accounts', async () => {
    const start = await latest()
    await attempt('2001:db8::1', { email: 'secret-password@x.org' })
    const [entry] = await since(start, 1)
    assert.match(String(entry?.actor), /^unknown:[0-9a-f]{16}$/)
    assert.equal(entry?.origin, '2001:db8::1')
  })

  it('has refused receipts, whose number of rows is bounded, and which change nothing', async () => {
    const now = '2026-01-01T00:00:00.000000Z'
    await execute(
      service.trunkline.storage,
      `INSERT INTO sms_gateways (id, name, provider_type, server_host, server_port, username, password, callback_token, meta, is_active, use_ssl, api_path, created_at, updated_at)
       VALUES (7, 'G', 'x', '127.0.0.1', 9, 'u', 'p', 'token', '{"dlr_token_in":"query:token"}', true, false, 'send', '${now}', '${now}')`,
    )
    const start = await latest()
    for (let i = 0; i < 8; i++)
      await Promise.all(
        Array.from({ length: 50 }, async (_, j) => {
          const headers = { 'x-forwarded-for': `198.51.100.${(i * 50 + j) % 200}` }
          const { status } = await service.request('POST', '/webhooks/gateway/7/dlr?token=no', { json: {}, headers })
          assert.equal(status, 403)
        }),
      )
    const entries = await since(start, 15)
    assert.equal(entries.length, 15)
    assert.ok(entries.every(({ action, record_name }) => action === 'token-refused' && record_name === 'G'))
    await service.trunkline.security.settle(true)
    assert.equal((await since(start, 16)).at(-1)?.changes['more'], 400 - 15)
  })
})
