import assert from 'node:assert/strict'
import { contract, type Given } from '../contract.ts'

export const sessionsContract = contract('sessions', ['sessions', 'accounts'])
const { behaviour } = sessionsContract
type Ports = Given<'sessions' | 'accounts'>

const TOKEN = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const END = '2026-03-02T00:00:00.000000Z'
const LATER = '2026-03-03T00:00:00.000000Z'

async function world({ accounts, sessions, clock }: Ports) {
  const make = (name: string) =>
    accounts.create({ name, email: `${name}@example.com`, role: 'admin', passwordHash: 'hash' })
  const [ann, bob] = [await make('ann'), await make('bob')]
  const createdAt = clock.now()
  await sessions.open(TOKEN, { ...ann, passwordHash: 'hash' }, { createdAt, expiresAt: END })
  assert.ok(await sessions.find(TOKEN))
  return { ann, bob, createdAt }
}

behaviour('a session is found by its token, with its account', async ports => {
  const { ann, createdAt } = await world(ports)
  for (let n = 0; n < 2; n++)
    assert.deepEqual(await ports.sessions.find(TOKEN), { account: ann, createdAt, expiresAt: END })
  assert.equal(await ports.sessions.find(OTHER), null)
})

behaviour('a session opens for an account that is there, once a token', async ports => {
  const { ann, createdAt } = await world(ports)
  await assert.rejects(ports.sessions.open(OTHER, { id: 99, passwordHash: 'hash' }, { createdAt, expiresAt: END }))
  await assert.rejects(ports.sessions.open(TOKEN, { ...ann, passwordHash: 'hash' }, { createdAt, expiresAt: END }))
  assert.equal(await ports.sessions.find(OTHER), null)
})

behaviour('a session does not open with a password that the account has no more', async ports => {
  const { ann, createdAt } = await world(ports)
  await ports.accounts.change(ann.id, { passwordHash: 'new' })
  const open = (passwordHash: string) =>
    ports.sessions.open(OTHER, { ...ann, passwordHash }, { createdAt, expiresAt: END })
  await assert.rejects(open('hash'), { code: 'invalid_credentials' })
  await open('new')
})

behaviour('the end of a session is postponed', async ports => {
  await world(ports)
  await ports.sessions.extend(TOKEN, LATER)
  assert.equal((await ports.sessions.find(TOKEN))?.expiresAt, LATER)
})

behaviour('a session that was ended is not revived by a request in flight', async ports => {
  await world(ports)
  await Promise.all([ports.sessions.end(TOKEN), ports.sessions.extend(TOKEN, LATER)])
  assert.equal(await ports.sessions.find(TOKEN), null)
  await ports.sessions.extend(TOKEN, LATER)
  assert.equal(await ports.sessions.find(TOKEN), null)
  assert.deepEqual(await ports.sessions.list(), [])
})

behaviour('ending a session ends only that one, and does nothing if there is none', async ports => {
  const { bob, createdAt } = await world(ports)
  await ports.sessions.open(OTHER, { ...bob, passwordHash: 'hash' }, { createdAt, expiresAt: END })
  await ports.sessions.end(TOKEN)
  await ports.sessions.end(TOKEN)
  assert.equal(await ports.sessions.find(TOKEN), null)
  assert.ok(await ports.sessions.find(OTHER))
})

behaviour('the sessions of one account are ended, or those of all, and counted', async ports => {
  const { ann, bob, createdAt } = await world(ports)
  for (const [n, account] of [ann, bob, bob].entries())
    await ports.sessions.open(String(n).repeat(64), { ...account, passwordHash: 'hash' }, { createdAt, expiresAt: END })
  assert.equal(await ports.sessions.revoke({ accountId: ann.id }), 2)
  assert.equal(await ports.sessions.revoke({ accountId: ann.id }), 0)
  assert.equal((await ports.sessions.list()).length, 2)
  assert.equal(await ports.sessions.revoke('all'), 2)
  assert.deepEqual(await ports.sessions.list(), [])
})

behaviour('one session is ended by the id that it is listed by, and no other', async ports => {
  const { ann, createdAt } = await world(ports)
  await ports.sessions.open(OTHER, { ...ann, passwordHash: 'hash' }, { createdAt, expiresAt: LATER })
  const listed = await ports.sessions.list()
  const id = listed.find(({ expiresAt }) => expiresAt === LATER)?.id ?? ''
  assert.equal(await ports.sessions.revoke({ id: id.slice(1) }), 0)
  assert.equal(await ports.sessions.revoke({ id: '' }), 0)
  assert.equal(await ports.sessions.revoke({ id }), 1)
  assert.equal(await ports.sessions.revoke({ id }), 0)
  assert.equal(await ports.sessions.find(OTHER), null)
  assert.ok(await ports.sessions.find(TOKEN))
})

behaviour('expired sessions are forgotten and counted, live ones stay', async ports => {
  const { bob, createdAt } = await world(ports)
  await ports.sessions.open(OTHER, { ...bob, passwordHash: 'hash' }, { createdAt, expiresAt: LATER })
  assert.equal(await ports.sessions.forgetExpired('2026-03-01T23:59:59.999999Z'), 0)
  assert.equal(await ports.sessions.forgetExpired(END), 1)
  assert.equal(await ports.sessions.find(TOKEN), null)
  assert.ok(await ports.sessions.find(OTHER))
})

behaviour('an expired session is found until it is forgotten', async ports => {
  await world(ports)
  ports.clock.advance(10 * 24 * 3600)
  assert.equal((await ports.sessions.find(TOKEN))?.expiresAt, END)
})

behaviour('sessions are listed newest first, without their tokens', async ports => {
  const { bob } = await world(ports)
  await ports.sessions.open(OTHER, { ...bob, passwordHash: 'hash' }, { createdAt: ports.clock.now(), expiresAt: LATER })
  const list = await ports.sessions.list()
  assert.deepEqual(
    list.map(({ account, expiresAt }) => [account.name, expiresAt]),
    [
      ['bob', LATER],
      ['ann', END],
    ],
  )
  assert.ok(list.every(({ id }) => id.length < TOKEN.length))
})

behaviour('a session is listed with the address of its login', async ports => {
  const { bob } = await world(ports)
  const life = { createdAt: ports.clock.now(), expiresAt: LATER }
  await ports.sessions.open(OTHER, { ...bob, passwordHash: 'hash' }, life, { name: 'bob', origin: '192.0.2.7' })
  const origins = (await ports.sessions.list()).map(({ account, origin }) => [account.name, origin])
  assert.deepEqual(origins, [
    ['bob', '192.0.2.7'],
    ['ann', null],
  ])
})
