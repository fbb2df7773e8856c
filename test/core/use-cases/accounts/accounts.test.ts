import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { randomIds } from '../../../../adapters/system/ids.ts'
import { accountKeeping } from '../../../../core/use-cases/accounts/accounts.ts'
import { fakeStorage } from '../../../fakes/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { cheapPasswords } from '../../../support/passwords.ts'

function world() {
  const { accounts } = fakeStorage(manualClock())
  return { accounts, keeping: accountKeeping(accounts, cheapPasswords, randomIds()) }
}

describe('a new account', () => {
  it('is an admin, named by what stands before the @, unless it is said otherwise', async () => {
    const { keeping } = world()
    const { account } = await keeping.create({ email: 'Ann@example.com', password: 'correct horse' })
    assert.deepEqual([account.name, account.role], ['Ann', 'admin'])
    const named = { email: 'bob@example.com', password: 'correct horse', name: ' Bob ', role: 'supervisor' } as const
    assert.deepEqual(
      { ...(await keeping.create(named)).account, id: 0 },
      { id: 0, name: 'Bob', email: named.email, role: named.role, tenantId: null },
    )
  })

  it('without a password gets a random one, which is returned this once', async () => {
    const { accounts, keeping } = world()
    const { madeUp } = await keeping.create({ email: 'ann@example.com' })
    const stored = await accounts.findByEmail('ann@example.com')
    assert.match(madeUp ?? '', /^[\w-]{20}$/)
    assert.ok(await cheapPasswords.verify(stored?.passwordHash ?? null, madeUp ?? ''))
    assert.equal((await keeping.create({ email: 'bob@example.com', password: 'correct horse' })).madeUp, null)
  })

  it('is refused with a password that is too short, an e-mail that is none, and one that is taken', async () => {
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
