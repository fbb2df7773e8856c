import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ROLES } from '../../../../core/ports/accounts.ts'
import { ADMIN } from '../../../support/http/app.ts'
import { cookieOf, login, me, serving, sessionOf } from '../../../support/http/sessions.ts'
import { cheapPasswords } from '../../../support/passwords.ts'

describe('login', () => {
  it(
    'answers who it is and sets the session cookie',
    serving(async service => {
      const answer = await login(service)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.json, {
        message: 'Login successful.',
        data: { name: 'Administrator', email: ADMIN.email, role: 'admin' },
      })
      const [pair, ...attributes] = cookieOf(answer).split('; ')
      assert.match(pair ?? '', /^trunkline_session=[A-Za-z0-9_-]{43}$/)
      assert.deepEqual(attributes.map(text => text.toLowerCase()).sort(), ['httponly', 'path=/', 'samesite=lax'])
      const shown = await service.request('GET', '/api/admin/me', { session: sessionOf(answer) })
      assert.equal(shown.status, 200)
      assert.deepEqual(shown.json, {
        message: 'Authenticated user loaded.',
        data: { name: 'Administrator', email: ADMIN.email, logged_in: true },
      })
    }),
  )

  it(
    'refuses wrong credentials alike, whichever is wrong',
    serving(async service => {
      const refusal = { message: 'Invalid credentials.' }
      for (const body of [
        { ...ADMIN, password: 'wrong' },
        { ...ADMIN, password: `${ADMIN.password} ` },
        { ...ADMIN, email: 'nobody@example.com' },
      ]) {
        const { status, json, headers } = await login(service, body)
        assert.equal(status, 422)
        assert.deepEqual(json, refusal)
        assert.deepEqual(headers.getSetCookie(), [])
      }
    }),
  )

  it(
    'takes the e-mail in any case',
    serving(async service => {
      assert.equal((await login(service, { ...ADMIN, email: ADMIN.email.toUpperCase() })).status, 200)
    }),
  )

  it(
    'tells a malformed request from wrong credentials',
    serving(async service => {
      const both = await login(service, {})
      assert.equal(both.status, 422)
      assert.deepEqual(both.json, {
        message: 'The email field is required. (and 1 more error)',
        errors: { email: ['The email field is required.'], password: ['The password field is required.'] },
      })
      const malformed = await login(service, { email: 'no-address', password: 7 })
      assert.deepEqual(malformed.json.errors, {
        email: ['The email field must be a valid email address.'],
        password: ['The password field must be a string.'],
      })
    }),
  )

  it(
    'ends the session that it came with and gives another',
    serving(async service => {
      const first = sessionOf(await login(service))
      const second = sessionOf(await login(service, ADMIN, { cookie: first }))
      assert.notEqual(first, second)
      assert.equal(await me(service, first), 401)
      assert.equal(await me(service, second), 200)
    }),
  )

  it(
    'that fails leaves the session that it came with alone',
    serving(async service => {
      const session = sessionOf(await login(service))
      await login(service, { ...ADMIN, password: 'wrong' }, { cookie: session })
      assert.equal(await me(service, session), 200)
    }),
  )

  it(
    'never takes over an id that the client chose',
    serving(async service => {
      const chosen = `trunkline_session=${'A'.repeat(43)}`
      assert.notEqual(sessionOf(await login(service, ADMIN, { cookie: chosen })), chosen)
      assert.equal(await me(service, chosen), 401)
    }),
  )

  it(
    'works over plain HTTP behind a proxy when the base URL is https, with a Secure cookie that no other host can set',
    serving(
      async service => {
        const answer = await login(service)
        assert.equal(answer.status, 200)
        const [pair, ...attributes] = cookieOf(answer).split('; ')
        assert.match(pair ?? '', /^__Host-trunkline_session=[A-Za-z0-9_-]{43}$/)
        const given = attributes.map(text => text.toLowerCase()).sort()
        assert.deepEqual(given, ['httponly', 'path=/', 'samesite=lax', 'secure'])
        assert.equal(await me(service, sessionOf(answer)), 200)
        assert.equal(await me(service, sessionOf(answer).replace('__Host-', '')), 401)
      },
      { base_url: 'https://pbx.example.com' },
    ),
  )

  it('does the same work for an unknown or disabled account as for a wrong password', async () => {
    const verified: (string | null)[] = []
    const passwords = {
      ...cheapPasswords,
      verify: (hash: string | null, password: string) => {
        verified.push(hash)
        return hash === null ? Promise.resolve(false) : cheapPasswords.verify(hash, password)
      },
    }
    await serving(
      async service => {
        await login(service, { ...ADMIN, password: 'wrong' })
        await login(service, { ...ADMIN, email: 'nobody@example.com' })
        const { accounts } = service.trunkline.storage
        await accounts.create({ name: 'Eve', email: 'eve@example.com', role: 'admin', passwordHash: 'none' })
        await accounts.change(1, { disabled: true })
        assert.equal((await login(service)).status, 422)
        assert.deepEqual(verified, [`plain:${ADMIN.password}`, null, null])
      },
      {},
      { passwords },
    )()
  })

  it('is open to every role, and each may do everything', async () => {
    await serving(async service => {
      for (const role of ROLES) {
        const email = `the.${role}@example.com`
        await service.trunkline.storage.accounts.create({ name: role, email, role, passwordHash: 'plain:pw' })
        const answer = await login(service, { email, password: 'pw' })
        assert.deepEqual(answer.json.data, { name: role, email, role })
        const tenant = { name: role, slug: role, domain: role, status: 's', timezone: 'UTC', max_extensions: 1 }
        const session = sessionOf(answer)
        const made = await service.request('POST', '/api/tenants', { json: tenant, session })
        assert.equal(made.status, 201)
        const removed = await service.request('DELETE', `/api/tenants/${made.json.data.id}`, { session })
        assert.equal(removed.status, 200)
      }
    })()
  })
})
