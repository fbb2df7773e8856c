import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { until } from '../../../support/data/switch.ts'
import { ADMIN, type Answer, startService, type TestService } from '../../../support/http/app.ts'
import { cheapPasswords } from '../../../support/passwords.ts'

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

/** A login as the trusted proxy forwards it from that address. */
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
  it('are refused after ten for one e-mail and address, even correct ones, with the time to wait', async () => {
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

  it('do not count if the request is not a login', async () => {
    for (let i = 0; i < 20; i++) assert.equal((await attempt('192.0.2.1', { email: 'no-address' })).status, 422)
    assert.equal((await attempt('192.0.2.1', { password: ADMIN.password })).status, 200)
  })
})

describe('a browser that the account has logged in from', () => {
  const asBrowser = (headers: Record<string, string>, password: string): Promise<Answer> =>
    service.request('POST', '/api/admin/login', {
      json: { ...ADMIN, password },
      headers: { ...headers, origin: service.url },
    })

  const knownBrowser = async (from: Record<string, string>): Promise<Record<string, string>> => {
    const { headers } = await asBrowser(from, ADMIN.password)
    const cookie = headers.getSetCookie().find(each => each.startsWith('trunkline_browser=')) ?? ''
    assert.match(cookie, /; httponly/i)
    return { ...from, cookie: cookie.split(';')[0] ?? '' }
  }

  it('is not locked out by guesses of others from the same address', async () => {
    const browser = await knownBrowser({ 'x-forwarded-for': '192.0.2.1' })
    for (let i = 0; i < 10; i++) assert.equal((await attempt('192.0.2.1')).status, 422)
    assert.equal((await attempt('192.0.2.1', { password: ADMIN.password })).status, 429)
    assert.equal((await asBrowser(browser, ADMIN.password)).status, 200)
  })

  it('has ten guesses of its own', async () => {
    const browser = await knownBrowser({ 'x-forwarded-for': '192.0.2.1' })
    for (let i = 0; i < 10; i++) assert.equal((await asBrowser(browser, 'wrong')).status, 422)
    assert.equal((await asBrowser(browser, ADMIN.password)).status, 429)
  })

  it('is recognised only for that account, by a cookie that nobody can forge', async () => {
    const { cookie = '', ...from } = await knownBrowser({ 'x-forwarded-for': '192.0.2.1' })
    const [expires, nonce, signature] = cookie.replace('trunkline_browser=', '').split('.')
    for (let i = 0; i < 10; i++) await attempt('192.0.2.1')
    for (const forged of [
      `${expires}.other.${signature}`,
      `${Number(expires) + 1}.${nonce}.${signature}`,
      '',
      '..',
      'a.b.c',
    ])
      assert.equal(
        (await asBrowser({ ...from, cookie: `trunkline_browser=${forged}` }, ADMIN.password)).status,
        429,
        forged,
      )
  })

  it('does not concern programs, which get only the session cookie', async () => {
    const { headers } = await attempt('192.0.2.1', { password: ADMIN.password })
    assert.deepEqual(
      headers.getSetCookie().map(cookie => cookie.split('=')[0]),
      ['trunkline_session'],
    )
  })
})

describe('addresses', () => {
  it('of one /64 are one', async () => {
    for (let i = 0; i < 10; i++) assert.equal((await attempt(`2001:db8::${i + 1}`)).status, 422)
    assert.equal((await attempt('2001:db8::ffff')).status, 429)
    assert.equal((await attempt('2001:db8:0:1::1')).status, 422)
  })
})

describe('a flood of logins from many addresses', () => {
  it('delays a correct one from elsewhere only until its turn', async () => {
    const slow: ((value: undefined) => void)[] = []
    const held = await startService(
      { trusted_proxies: 1 },
      {
        passwords: {
          ...passwords,
          verify: async (hash, password) => {
            if (password === 'flood') await new Promise(resolve => slow.push(resolve))
            return hash !== null && cheapPasswords.verify(hash, password)
          },
        },
      },
    )
    const from = (address: string, password: string, email = ADMIN.email) =>
      held.request('POST', '/api/admin/login', { json: { email, password }, headers: { 'x-forwarded-for': address } })
    const flood = Array.from({ length: 300 }, (_, i) =>
      from(`198.51.100.${i % 100}`, 'flood', `guess${i % 3}@example.com`),
    )
    const release = setInterval(() => slow.shift()?.(undefined), 5)
    try {
      assert.equal((await from('192.0.2.7', ADMIN.password)).status, 200)
      assert.ok(slow.length < 300)
    } finally {
      clearInterval(release)
      const all = setInterval(() => slow.splice(0).forEach(go => void go(undefined)), 1)
      await Promise.all(flood).finally(() => clearInterval(all))
      await held.close()
    }
  })
})

describe('right logins', () => {
  it('are never too many at once', async () => {
    const right = () => attempt('192.0.2.1', { password: ADMIN.password })
    assert.deepEqual(statuses(await times(40, right)), { 200: 40 })
  })

  it('are never too many in a row', async () => {
    for (let i = 0; i < 120; i++)
      assert.equal((await attempt('192.0.2.1', { password: ADMIN.password })).status, 200, String(i))
  })
})

describe('a forged X-Forwarded-For', () => {
  it('does not evade the throttle behind a trusted proxy', async () => {
    for (let i = 0; i < 10; i++) assert.equal((await attempt(`203.0.113.${i}, 192.0.2.1`)).status, 422)
    assert.equal((await attempt('203.0.113.99, 192.0.2.1')).status, 429)
  })

  it('from an untrusted proxy is noted once, for doctor to report', async () => {
    const direct = await startService({}, { passwords })
    for (let i = 0; i < 3; i++)
      await direct.request('GET', '/healthz', { headers: { 'x-forwarded-for': '203.0.113.1' } })
    assert.equal(direct.logged.filter(line => line.includes('a proxy that is not trusted')).length, 1)
    const { notices } = direct.trunkline.storage
    await until('the notice is stored', async () => (await notices.list()).length > 0)
    const [notice, ...others] = await notices.list()
    assert.deepEqual([notice?.code, others], ['untrusted_proxy', []])
    await direct.close()
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
