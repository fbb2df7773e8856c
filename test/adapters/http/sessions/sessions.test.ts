import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { columnOf } from '../../../support/data/stored.ts'
import { ADMIN, temporaryFolder } from '../../../support/http/app.ts'
import { cookieOf, me, serving } from '../../../support/http/sessions.ts'
import { addGateway, json, MESSAGE, signal, startGateway } from '../../../support/messaging/gateway.ts'

describe('a session', () => {
  it(
    'is stored as the SHA-256 of its token alone',
    serving(async service => {
      const token = (await service.login()).split('=')[1] ?? ''
      const rows = await columnOf(service.trunkline.storage, 'SELECT token_hash FROM sessions')
      assert.deepEqual(rows, [createHash('sha256').update(token).digest('hex')])
      assert.ok(!JSON.stringify(rows).includes(token))
    }),
  )

  it('survives a restart of the service', async () => {
    const folder = temporaryFolder()
    const db = join(folder.path, 'trunkline.db')
    let session = ''
    await serving(
      async service => {
        session = await service.login()
      },
      { db },
    )()
    await serving(async service => assert.equal(await me(service, session), 200), { db })()
    folder.remove()
  })

  it(
    'is none when the cookie is forged or malformed',
    serving(async service => {
      const session = await service.login()
      for (const forged of ['', 'trunkline_session=', `${session}x`, session.slice(0, -1), 'trunkline_session=../../x'])
        assert.equal(await me(service, forged), 401)
      const hash = createHash('sha256')
        .update(session.split('=')[1] ?? '')
        .digest('hex')
      assert.equal(await me(service, `trunkline_session=${hash}`), 401)
    }),
  )

  it('ends after two hours without a request, and each request restarts them', async () => {
    const clock = manualClock()
    await serving(
      async service => {
        const session = await service.login()
        for (let i = 0; i < 3; i++) {
          clock.advance(7_000)
          assert.equal(await me(service, session), 200)
        }
        clock.advance(7_201)
        assert.equal(await me(service, session), 401)
      },
      {},
      { clock },
    )()
  })

  it('ends twelve hours after login, however busy it is', async () => {
    const clock = manualClock()
    await serving(
      async service => {
        const session = await service.login()
        for (let hour = 1; hour < 12; hour++) {
          clock.advance(3_600)
          assert.equal(await me(service, session), 200, `hour ${hour}`)
        }
        clock.advance(3_590)
        assert.equal(await me(service, session), 200)
        clock.advance(11)
        assert.equal(await me(service, session), 401)
      },
      {},
      { clock },
    )()
  })

  it('lives as long as the settings say', async () => {
    const clock = manualClock()
    await serving(
      async service => {
        const session = await service.login()
        clock.advance(59)
        assert.equal(await me(service, session), 200)
        clock.advance(61)
        assert.equal(await me(service, session), 401)
        const other = await service.login()
        clock.advance(50)
        assert.equal(await me(service, other), 200)
        clock.advance(41)
        assert.equal(await me(service, other), 401)
      },
      { session_idle: 60, session_absolute: 90 },
      { clock },
    )()
  })

  it(
    'ends with a new password, and when its account is disabled or removed',
    serving(async service => {
      const { accounts } = service.trunkline.storage
      const passwordHash = `plain:${ADMIN.password}`
      await accounts.create({ name: 'Eve', email: 'eve@example.com', role: 'admin', passwordHash })
      for (const change of [{ passwordHash }, { disabled: true }]) {
        const session = await service.login()
        assert.equal(await me(service, session), 200)
        await accounts.change(1, change)
        assert.equal(await me(service, session), 401)
      }
      await accounts.change(1, { disabled: false })
      const session = await service.login()
      await accounts.change(1, { role: 'manager' })
      assert.equal(await me(service, session), 200)
      await accounts.remove(1)
      assert.equal(await me(service, session), 401)
    }),
  )

  it('ends at once when another process changes its account', async () => {
    const folder = temporaryFolder()
    const db = join(folder.path, 'trunkline.db')
    await serving(
      async service => {
        const session = await service.login()
        assert.equal(await me(service, session), 200)
        const other = openStorage(db, { clock: service.trunkline.clock })
        await other.accounts.create({ name: 'Eve', email: 'eve@example.com', role: 'admin', passwordHash: 'none' })
        await other.accounts.change(1, { disabled: true })
        assert.equal(await me(service, session), 401)
        await other.accounts.change(1, { disabled: false })
        const again = await service.login()
        assert.equal(await me(service, again), 200)
        await other.sessions.revoke('all')
        assert.equal(await me(service, again), 401)
        await other.close()
      },
      { db },
    )()
    folder.remove()
  })
})

describe('logout', () => {
  it(
    'ends the session and takes the cookie away',
    serving(async service => {
      const session = await service.login()
      const answer = await service.request('POST', '/api/admin/logout', { session })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.json, { message: 'Logged out successfully.' })
      assert.match(cookieOf(answer), /^trunkline_session=;.*expires=Thu, 01 Jan 1970/)
      assert.equal(await me(service, session), 401)
      assert.deepEqual(await columnOf(service.trunkline.storage, 'SELECT count(*) FROM sessions'), [0])
    }),
  )

  it(
    'answers 200 without a session too',
    serving(async service => {
      for (const session of ['', 'trunkline_session=x', `trunkline_session=${'A'.repeat(43)}`]) {
        const { status, json } = await service.request('POST', '/api/admin/logout', { session })
        assert.deepEqual([status, json], [200, { message: 'Logged out successfully.' }])
      }
    }),
  )

  it('ends the session permanently, even while a request with it is in flight', async () => {
    const clock = manualClock()
    const gateway = await startGateway()
    await serving(
      async service => {
        const session = await service.login()
        const id = await addGateway(service, session, gateway)
        const held = signal<() => void>()
        gateway.answer(response => held.resolve(() => json(response, 200, { id: 'x' })))
        clock.advance(600)
        const sending = service.request('POST', `/api/sms-gateways/${id}/send`, { json: MESSAGE, session })
        const release = await held.promise
        assert.equal((await service.request('POST', '/api/admin/logout', { session })).status, 200)
        release()
        const sent = await sending
        assert.equal(sent.json.data.delivery_status, 'submitted')
        assert.deepEqual(sent.headers.getSetCookie(), [])
        assert.equal(await me(service, session), 401)
      },
      {},
      { clock },
    )()
    await gateway.close()
  })
})
