import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { randomIds } from '../../../../adapters/system/ids.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { accountKeeping } from '../../../../core/use-cases/accounts/accounts.ts'
import { fakeStorage } from '../../../fakes/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'
import { cheapPasswords } from '../../../support/passwords.ts'

function world() {
  const clock = manualClock()
  const storage = fakeStorage(clock)
  return {
    ...storage,
    clock,
    keeping: accountKeeping({ ...storage, passwords: cheapPasswords, ids: randomIds(), roles: 'off' }),
  }
}

describe('a new account', () => {
  it('is by default an admin, named by the part of the e-mail before the @', async () => {
    const { keeping } = world()
    const { account } = await keeping.create({ email: 'Ann@example.com', password: 'correct horse' })
    assert.deepEqual([account.name, account.role], ['Ann', 'admin'])
    const named = { email: 'bob@example.com', password: 'correct horse', name: ' Bob ', role: 'supervisor' } as const
    assert.deepEqual(
      { ...(await keeping.create(named)).account, id: 0 },
      { id: 0, name: 'Bob', email: named.email, role: named.role, tenantId: null },
    )
  })

  it('without a password gets a random one, which is returned only once', async () => {
    const { accounts, keeping } = world()
    const { madeUp } = await keeping.create({ email: 'ann@example.com' })
    const stored = await accounts.findByEmail('ann@example.com')
    assert.match(madeUp ?? '', /^[\w-]{20}$/)
    assert.ok(await cheapPasswords.verify(stored?.passwordHash ?? null, madeUp ?? ''))
    assert.equal((await keeping.create({ email: 'bob@example.com', password: 'correct horse' })).madeUp, null)
  })

  it('is refused with a short password, an invalid e-mail, or one that is taken', async () => {
    const { keeping } = world()
    await assert.rejects(keeping.create({ email: 'ann@example.com', password: 'short' }), { code: 'invalid' })
    await assert.rejects(keeping.create({ email: 'ann' }), { code: 'invalid' })
    await keeping.create({ email: 'ann@example.com' })
    await assert.rejects(keeping.create({ email: 'ann@example.com' }), { code: 'conflict' })
  })
})

it('a new password replaces the old one', async () => {
  const { accounts, keeping } = world()
  const { account } = await keeping.create({ email: 'ann@example.com' })
  assert.deepEqual(await keeping.changePassword(account, 'correct horse'), { madeUp: null })
  const { madeUp } = await keeping.changePassword(account)
  const stored = await accounts.findByEmail('ann@example.com')
  assert.ok(await cheapPasswords.verify(stored?.passwordHash ?? null, madeUp ?? ''))
})

describe('an account', () => {
  it('is listed with the slug of its tenant, which is null once that is deleted', async () => {
    const { keeping, records } = world()
    const { id: tenantId } = await insert(records, 'tenants', { slug: 'acme' })
    const { account } = await keeping.create({ email: 'ann@example.com', tenantId })
    await keeping.create({ email: 'bob@example.com' })
    const slugs = async () => (await keeping.list()).map(({ tenantId, tenant }) => [tenantId, tenant])
    assert.deepEqual(await slugs(), [
      [tenantId, 'acme'],
      [null, null],
    ])
    await records.remove(tenants, tenantId, { cascade: true })
    assert.deepEqual(await slugs(), [
      [tenantId, null],
      [null, null],
    ])
    await keeping.change(account.id, { tenantId: null, name: ' Ann ', role: 'manager' })
    assert.deepEqual(await keeping.named('ANN@example.com'), {
      ...account,
      tenantId: null,
      name: 'Ann',
      role: 'manager',
    })
  })

  it('is refused an unknown tenant, an invalid name, and any change if it does not exist', async () => {
    const { keeping } = world()
    const { account } = await keeping.create({ email: 'ann@example.com' })
    const refusal = { code: 'invalid', message: 'The selected tenant id is invalid.' }
    await assert.rejects(keeping.change(account.id, { tenantId: 7 }), refusal)
    await assert.rejects(keeping.create({ email: 'bob@example.com', tenantId: 7 }), refusal)
    await assert.rejects(keeping.change(account.id, { name: ' ' }), { code: 'invalid' })
    await assert.rejects(keeping.change(account.id + 1, { role: 'admin' }), { code: 'not_found' })
    await assert.rejects(keeping.named('bob@example.com'), { code: 'not_found' })
    assert.deepEqual(await keeping.named('ann@example.com'), account)
  })

  it('loses one session, or all of them, and a session that is not there is not_found', async () => {
    const { keeping, sessions, accounts, clock } = world()
    const { account } = await keeping.create({ email: 'ann@example.com' })
    const credentials = await accounts.findByEmail(account.email)
    assert.ok(credentials)
    for (const token of ['a', 'b', 'c'])
      await sessions.open(token.repeat(64), credentials, { createdAt: clock.now(), expiresAt: '9999' })
    const [latest] = await keeping.sessions()
    assert.ok(latest)
    await keeping.endSession(latest.id)
    assert.equal(await sessions.find('c'.repeat(64)), null)
    await assert.rejects(keeping.endSession(latest.id), { code: 'not_found', message: 'Session not found.' })
    assert.equal(await keeping.endSessions(account.id + 1), 0)
    assert.equal(await keeping.endSessions(account.id), 2)
    assert.equal(await keeping.endSessions(null), 0)
  })
})
