import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeDigests } from '../../../../adapters/system/digests.ts'
import type { AuditEntry } from '../../../../core/audit.ts'
import { AppError } from '../../../../core/errors.ts'
import { FOREVER } from '../../../../core/rating/period.ts'
import { securityTrail } from '../../../../core/use-cases/accounts/security-trail.ts'
import { fakeStorage } from '../../../fakes/storage.ts'
import { manualClock } from '../../../support/clock.ts'

const from = (address: string) => ({ address, network: address })

async function world() {
  const clock = manualClock()
  const storage = fakeStorage(clock)
  const { accounts, audit, serverKeys } = storage
  let isFull = false
  const trail = securityTrail({
    accounts,
    audit: {
      note: (...noted) =>
        isFull ? Promise.reject(new AppError('storage_full', 'The disk is full.')) : audit.note(...noted),
    },
    digests: nodeDigests(),
    serverKeys,
    clock,
  })
  await accounts.create({ name: 'Ann', email: 'Ann@example.com', role: 'admin', passwordHash: 'hash' })
  const noted = async (): Promise<AuditEntry[]> => {
    const entries: AuditEntry[] = []
    for await (const entry of audit.list({ ...FOREVER, security: true }))
      if (entry.action !== 'create') entries.push(entry)
    return entries.reverse()
  }
  /** Resolves once background writes are stored. */
  const settled = async () => {
    await new Promise(setImmediate)
    return noted()
  }
  const fill = (full: boolean): void => {
    isFull = full
  }
  return { clock, accounts, trail, settled, fill }
}

test('a failed login is noted with the account, or with a hash where there is none', async () => {
  const { trail, settled } = await world()
  trail.loginFailed('ann@EXAMPLE.com', from('192.0.2.1'))
  trail.loginFailed('my-password@x.org', from('192.0.2.2'))
  trail.loginFailed('My-Password@x.org', from('192.0.2.2'))
  const [known, unknown, same] = await settled()
  assert.deepEqual(
    [known?.actor, known?.origin, known?.record_name, known?.action],
    ['Ann@example.com', '192.0.2.1', 'Ann@example.com', 'login-failed'],
  )
  assert.match(unknown?.actor ?? '', /^unknown:[0-9a-f]{16}$/)
  assert.deepEqual([unknown?.record_id, unknown?.actor], [null, same?.actor])
  assert.equal(JSON.stringify([unknown, same]).includes('password'), false)
})

test('another database has a different hash of the same e-mail', async () => {
  const hashes = []
  for (const { trail, settled } of [await world(), await world()]) {
    trail.loginFailed('nobody@example.com', from('192.0.2.1'))
    hashes.push((await settled())[0]?.actor)
  }
  assert.notEqual(hashes[0], hashes[1])
})

test('one sender causes at most five rows, all together fifteen, and a count', async () => {
  const { trail, settled, clock } = await world()
  for (let i = 0; i < 20_000; i++) trail.tokenRefused(7, from('192.0.2.1'))
  assert.equal((await settled()).length, 5)
  for (let i = 0; i < 20_000; i++) trail.tokenRefused(7, from(`198.51.100.${i % 250}`))
  assert.equal((await settled()).length, 15)
  await trail.settle()
  assert.equal((await settled()).length, 15)
  clock.advance(15 * 60)
  await trail.settle()
  const last = (await settled()).at(-1)
  assert.deepEqual(
    [last?.action, last?.origin, last?.changes['more'], (await settled()).length],
    ['token-refused', '251 addresses', 40_000 - 15, 16],
  )
  trail.tokenRefused(7, from('192.0.2.1'))
  assert.equal((await settled()).length, 17)
})

test('a flood of one kind hides no other kind', async () => {
  const { trail, settled } = await world()
  for (let i = 0; i < 1_000; i++) trail.tokenRefused(7, from(`192.0.2.${i % 250}`))
  trail.lockedOut('ann@example.com', from('192.0.2.1'), 'account')
  assert.deepEqual(
    (await settled()).filter(({ action }) => action === 'lockout').map(({ changes }) => changes),
    [{ locked_out: 'account' }],
  )
})

test('entries that cannot be written are counted, and the count is written later', async () => {
  const { trail, settled, fill } = await world()
  fill(true)
  for (let i = 0; i < 3; i++) trail.loginFailed('ann@example.com', from('192.0.2.1'))
  await settled()
  await trail.settle(true)
  assert.deepEqual(await settled(), [])
  fill(false)
  await trail.settle(true)
  assert.deepEqual(
    (await settled()).map(({ origin, changes }) => [origin, changes['more']]),
    [['192.0.2.1', 3]],
  )
})

test('the number of distinguished addresses is bounded', async () => {
  const { trail, settled } = await world()
  for (let i = 0; i < 5_000; i++) trail.loginFailed('ann@example.com', from(`10.0.${i >> 8}.${i & 255}`))
  await trail.settle(true)
  const counts = (await settled()).filter(({ changes }) => 'more' in changes)
  assert.deepEqual(
    counts.map(({ origin }) => origin),
    ['1000 or more addresses'],
  )
})
