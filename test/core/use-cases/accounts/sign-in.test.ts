import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSeconds } from '../../../../core/dates.ts'
import { AppError } from '../../../../core/errors.ts'
import type { Passwords } from '../../../../core/ports/accounts.ts'
import { readCredentials, readNewCredentials, signIn } from '../../../../core/use-cases/accounts/sign-in.ts'
import { fakeStorage } from '../../../fakes/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { cheapPasswords } from '../../../support/passwords.ts'

const TOKEN = 'a'.repeat(64)
const BY = { name: 'Ann@example.com', origin: '192.0.2.1' }
const HOUR = 3600

async function world(lives = { idle: 2 * HOUR, absolute: 12 * HOUR }) {
  const clock = manualClock()
  const storage = fakeStorage(clock)
  const { accounts, sessions } = storage
  const verified: (string | null)[] = []
  const extended: string[] = []
  const passwords: Passwords = {
    ...cheapPasswords,
    verify: (hash, password) => {
      verified.push(hash)
      return cheapPasswords.verify(hash, password)
    },
  }
  const passwordHash = await passwords.hash('right')
  // The last account cannot be disabled.
  await accounts.create({ name: 'Eve', email: 'eve@example.com', role: 'admin', passwordHash })
  const account = await accounts.create({ name: 'Ann', email: 'Ann@example.com', role: 'manager', passwordHash })
  const counted: typeof sessions = {
    ...sessions,
    extend: (hash, until) => {
      extended.push(until)
      return sessions.extend(hash, until)
    },
  }
  return {
    clock,
    accounts,
    sessions,
    account,
    credentials: { ...account, passwordHash, disabled: false },
    verified,
    extended,
    signIn: signIn({ accounts, sessions: counted, passwords, clock, lives }),
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'invalid_credentials' && error.message === 'Invalid credentials.'

test('the right password returns the account, whatever the case of the e-mail', async () => {
  const { signIn, credentials } = await world()
  assert.deepEqual(await signIn.authenticate('ANN@example.COM', 'right'), credentials)
})

test('a wrong password, an unknown e-mail and a disabled account are refused alike, each after one verification', async () => {
  const { signIn, accounts, account, verified } = await world()
  await assert.rejects(signIn.authenticate('ann@example.com', 'wrong'), isRefusal)
  await assert.rejects(signIn.authenticate('nobody@example.com', 'right'), isRefusal)
  await accounts.change(account.id, { disabled: true })
  await assert.rejects(signIn.authenticate('ann@example.com', 'right'), isRefusal)
  assert.deepEqual(verified, ['plain:right', null, null])
})

test('a session lasts for its idle time, counted from the last request', async () => {
  const { signIn, clock, account, credentials } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  clock.advance(2 * HOUR - 60)
  assert.deepEqual(await signIn.resume(TOKEN), account)
  clock.advance(2 * HOUR - 60)
  assert.deepEqual(await signIn.resume(TOKEN), account)
  clock.advance(2 * HOUR + 1)
  assert.equal(await signIn.resume(TOKEN), null)
})

test('requests that a page makes by itself do not extend a session', async () => {
  const { signIn, clock, account, credentials } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  for (let n = 0; n < 3; n++) {
    clock.advance(30 * 60)
    assert.deepEqual(await signIn.resume(TOKEN, { isUnattended: true }), account)
  }
  clock.advance(30 * 60 + 1)
  assert.equal(await signIn.resume(TOKEN, { isUnattended: true }), null)
})

test('a session lasts for its whole idle time after a request whose time was not stored', async () => {
  const { signIn, clock, account, credentials, extended } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  clock.advance(100)
  assert.deepEqual(await signIn.resume(TOKEN), account)
  assert.deepEqual(extended, [])
  clock.advance(2 * HOUR - 1)
  await signIn.forgetExpired()
  assert.deepEqual(await signIn.resume(TOKEN), account)
  clock.advance(2 * HOUR + 1)
  await signIn.forgetExpired()
  assert.equal(await signIn.resume(TOKEN), null)
})

test('a request does not wait until the end of its session is stored', async () => {
  const { accounts, sessions, clock, credentials, account } = await world()
  let asked = 0
  const never = { ...sessions, extend: () => new Promise<void>(() => void asked++) }
  const lives = { idle: 2 * HOUR, absolute: 12 * HOUR }
  const waiting = signIn({ accounts, sessions: never, passwords: cheapPasswords, clock, lives })
  await waiting.open(TOKEN, credentials, '192.0.2.1')
  clock.advance(HOUR)
  for (let n = 0; n < 3; n++) assert.deepEqual(await waiting.resume(TOKEN), account)
  assert.equal(asked, 1)
})

test('a session ends at its absolute lifetime, however busy it is', async () => {
  const { signIn, clock, account, credentials } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  for (let hour = 1; hour < 12; hour++) {
    clock.advance(HOUR)
    assert.deepEqual(await signIn.resume(TOKEN), account, `hour ${hour}`)
  }
  clock.advance(HOUR + 1)
  assert.equal(await signIn.resume(TOKEN), null)
})

test('the stored end moves only in steps of a sixtieth of the idle time', async () => {
  const { signIn, clock, credentials, extended } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  clock.advance(119)
  await signIn.resume(TOKEN)
  assert.equal(extended.length, 0)
  clock.advance(2)
  await signIn.resume(TOKEN)
  assert.equal(extended.length, 1)
  await signIn.resume(TOKEN)
  assert.equal(extended.length, 1)
})

test('lifetimes of less than a second work too', async () => {
  const { signIn, clock, account, credentials } = await world({ idle: 0.5, absolute: 0.9 })
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  clock.advance(0.4)
  assert.deepEqual(await signIn.resume(TOKEN), account)
  clock.advance(0.4)
  assert.deepEqual(await signIn.resume(TOKEN), account)
  clock.advance(0.2)
  assert.equal(await signIn.resume(TOKEN), null)
})

test('an expired session is not revived by a request', async () => {
  const { signIn, clock, sessions, credentials } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  const end = (await sessions.find(TOKEN))?.expiresAt
  clock.advance(3 * HOUR)
  await signIn.resume(TOKEN)
  assert.equal((await sessions.find(TOKEN))?.expiresAt, end)
  assert.ok(end && end < addSeconds(clock.now(), 0))
})

test('an ended session, an unknown one, and those of a disabled account are no sessions', async () => {
  const { signIn, accounts, account, credentials } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  await signIn.end(TOKEN, BY)
  await signIn.end(TOKEN, BY)
  assert.equal(await signIn.resume(TOKEN), null)
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  await accounts.change(account.id, { disabled: true })
  assert.equal(await signIn.resume(TOKEN), null)
})

test('a new password has eight characters or more, of any kind', () => {
  const email = 'a@b.co'
  for (const password of ['12345678', '  ü  ü  ', '😀'.repeat(8)])
    assert.deepEqual(readNewCredentials({ email, password }), { email, password })
  for (const password of ['abc', '1234567', '😀'.repeat(7)])
    assert.throws(() => readNewCredentials({ email, password }), {
      code: 'invalid',
      message: 'The password field must be at least 8 characters.',
    })
})

test('credentials are an e-mail and a password that is not trimmed', () => {
  assert.deepEqual(readCredentials({ email: ' a@b.co ', password: ' p ', other: 1 }), {
    email: 'a@b.co',
    password: ' p ',
  })
  assert.throws(() => readCredentials({ email: 'nope' }), {
    code: 'invalid',
    message: 'The email field must be a valid email address. (and 1 more error)',
  })
})

test('setting the clock back lengthens neither the idle time nor the lifetime of a session', async () => {
  const { signIn, clock, account, credentials } = await world()
  await signIn.open(TOKEN, credentials, '192.0.2.1')
  clock.setBack(10 * HOUR)
  assert.deepEqual(await signIn.resume(TOKEN), account)
  clock.advance(2 * HOUR + 2)
  assert.equal(await signIn.resume(TOKEN), null)
  await signIn.open(TOKEN.replaceAll('a', 'b'), credentials, '192.0.2.1')
  for (let hour = 1; hour < 12; hour++) {
    clock.advance(HOUR)
    clock.setBack(HOUR)
    assert.deepEqual(await signIn.resume(TOKEN.replaceAll('a', 'b')), account, `hour ${hour}`)
  }
  clock.advance(HOUR + 2)
  assert.equal(await signIn.resume(TOKEN.replaceAll('a', 'b')), null)
})

test('a session from before the clock was set back and the service restarted is over', async () => {
  const { clock, accounts, sessions, credentials } = await world()
  const lives = { idle: 2 * HOUR, absolute: 12 * HOUR }
  const restarted = () => signIn({ accounts, sessions, passwords: cheapPasswords, clock, lives })
  await restarted().open(TOKEN, credentials, '192.0.2.1')
  clock.advance(HOUR)
  assert.ok(await restarted().resume(TOKEN))
  // Once this is stored, so is everything before it.
  await sessions.forgetExpired(clock.now())
  clock.setBack(HOUR / 2)
  assert.equal(await restarted().resume(TOKEN), null)
  clock.setBack(HOUR)
  assert.equal(await restarted().resume(TOKEN), null)
})

test('a session that ends while nothing can be written is over at once, and deleted once writing works', async () => {
  const { accounts, sessions, passwords, clock, lives } = {
    ...(await world()),
    passwords: cheapPasswords,
    lives: { idle: 2 * HOUR, absolute: 12 * HOUR },
  }
  let isFull = true
  const use = signIn({
    accounts,
    passwords,
    clock,
    lives,
    sessions: {
      ...sessions,
      end: async tokenHash => {
        if (isFull) throw new AppError('storage_full', 'The disk is full; nothing was stored.')
        return sessions.end(tokenHash)
      },
    },
  })
  const account = await use.authenticate('ann@example.com', 'right')
  await use.open(TOKEN, account, '192.0.2.1')
  await use.end(TOKEN, BY)
  assert.equal(await use.resume(TOKEN), null)
  assert.ok(await sessions.find(TOKEN))
  await assert.rejects(use.forgetExpired(), { code: 'storage_full' })
  isFull = false
  await use.forgetExpired()
  assert.equal(await sessions.find(TOKEN), null)
  assert.equal(await use.resume(TOKEN), null)
})

test('where other programs serve the sessions, a logout that cannot be stored is an error', async () => {
  const { accounts, sessions, clock, account, credentials } = await world()
  const full = new AppError('storage_full', 'The disk is full; nothing was stored.')
  const use = signIn({
    ...{ accounts, passwords: cheapPasswords, clock, lives: { idle: HOUR, absolute: HOUR }, isShared: true },
    sessions: { ...sessions, end: () => Promise.reject(full) },
  })
  await use.open(TOKEN, credentials, '192.0.2.1')
  assert.equal((await use.resume(TOKEN))?.id, account.id)
  await assert.rejects(use.end(TOKEN, BY), full)
  assert.equal(await use.resume(TOKEN), null)
})
