import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { ADMIN, type Answer, cheapPasswords, startService, type TestService } from '../../support/app.ts'

let service: TestService
let verified = 0
const passwords = {
  ...cheapPasswords,
  verify: async (hash: string | null, password: string) => {
    verified++
    return hash !== null && cheapPasswords.verify(hash, password)
  },
}

beforeEach(async () => {
  await service?.close()
  service = await startService({ trusted_proxies: 1 }, { passwords })
  verified = 0
})
after(() => service.close())

/** A login as the one trusted proxy would pass it on from that address. */
const attempt = (address: string, members: Partial<typeof ADMIN> = {}): Promise<Answer> =>
  service.request('POST', '/api/admin/login', {
    json: { ...ADMIN, password: 'wrong', ...members },
    headers: { 'x-forwarded-for': address },
  })

const times = (count: number, act: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))

const statuses = (answers: Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('failed logins', () => {
  it('are refused after ten for one e-mail and address, right ones too, saying when to come back', async () => {
    for (let i = 0; i < 10; i++) assert.equal((await attempt('192.0.2.1')).status, 422)
    for (const password of ['wrong', ADMIN.password]) {
      const { status, json, headers } = await attempt('192.0.2.1', { password })
      assert.equal(status, 429)
      assert.deepEqual(json, { message: 'Too Many Attempts.' })
      const seconds = Number(headers.get('retry-after'))
      assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 900)
    }
    assert.equal(verified, 10)
  })

  it('count for their e-mail, in any case, and their address alone', async () => {
    for (let i = 0; i < 10; i++) await attempt('192.0.2.1')
    assert.equal((await attempt('192.0.2.1', { email: ADMIN.email.toUpperCase() })).status, 429)
    assert.equal((await attempt('192.0.2.1', { email: 'other@example.com' })).status, 422)
    assert.equal((await attempt('192.0.2.2', { password: ADMIN.password })).status, 200)
  })

  it('cannot slip past when they are sent all at once', async () => {
    assert.deepEqual(statuses(await times(40, () => attempt('192.0.2.1'))), { 422: 10, 429: 30 })
    assert.equal(verified, 10)
  })

  it('are refused after a hundred from one address, whatever the e-mail', async () => {
    const from = (address: string) => (i: number) => attempt(address, { email: `person${i}@example.com` })
    assert.deepEqual(statuses(await times(130, from('192.0.2.1'))), { 422: 100, 429: 30 })
    assert.equal((await attempt('192.0.2.1', { password: ADMIN.password })).status, 429)
    assert.equal((await attempt('192.0.2.2', { password: ADMIN.password })).status, 200)
  })

  it('are forgotten with a right login', async () => {
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 9; i++) assert.equal((await attempt('192.0.2.1')).status, 422)
      assert.equal((await attempt('192.0.2.1', { password: ADMIN.password })).status, 200)
    }
  })

  it('do not count when they are no login at all', async () => {
    for (let i = 0; i < 20; i++) assert.equal((await attempt('192.0.2.1', { email: 'no-address' })).status, 422)
    assert.equal((await attempt('192.0.2.1', { password: ADMIN.password })).status, 200)
  })
})

describe('right logins', () => {
  it('are never too many, all at once', async () => {
    const right = () => attempt('192.0.2.1', { password: ADMIN.password })
    assert.deepEqual(statuses(await times(40, right)), { 200: 40 })
  })

  it('are never too many, one after the other', async () => {
    for (let i = 0; i < 120; i++)
      assert.equal((await attempt('192.0.2.1', { password: ADMIN.password })).status, 200, String(i))
  })
})

describe('a forged X-Forwarded-For', () => {
  it('does not evade the throttle behind a trusted proxy', async () => {
    for (let i = 0; i < 10; i++) assert.equal((await attempt(`203.0.113.${i}, 192.0.2.1`)).status, 422)
    assert.equal((await attempt('203.0.113.99, 192.0.2.1')).status, 429)
  })

  it('is not believed at all without one', async () => {
    const direct = await startService({}, { passwords })
    const json = { ...ADMIN, password: 'wrong' }
    const from = (i: number) => ({ json, headers: { 'x-forwarded-for': `203.0.113.${i}` } })
    for (let i = 0; i < 10; i++) assert.equal((await direct.request('POST', '/api/admin/login', from(i))).status, 422)
    assert.equal((await direct.request('POST', '/api/admin/login', from(99))).status, 429)
    await direct.close()
  })
})
