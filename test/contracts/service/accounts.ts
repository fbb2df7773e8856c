import assert from 'node:assert/strict'
import type { AccountChange } from '../../../core/ports/accounts.ts'
import { contract, type Given } from '../contract.ts'

export const accountsContract = contract('accounts', ['accounts', 'sessions'])
const { behaviour } = accountsContract
type Ports = Given<'accounts' | 'sessions'>

const TOKEN = 'a'.repeat(64)
const END = '2026-03-02T00:00:00.000000Z'
const ANN = { name: 'Ann', email: 'Ann@Example.com', role: 'admin', passwordHash: 'hash' } as const
const BOB = { ...ANN, name: 'Bob', email: 'bob@example.com', role: 'supervisor' } as const

async function signedIn({ accounts, sessions, clock }: Ports) {
  const account = await accounts.create(ANN)
  await sessions.open(TOKEN, { ...account, passwordHash: 'hash' }, { createdAt: clock.now(), expiresAt: END })
  assert.ok(await sessions.find(TOKEN))
  return account
}

behaviour('a new account is counted, listed and found', async ({ accounts }) => {
  assert.equal(await accounts.count(), 0)
  const account = await accounts.create(ANN)
  assert.deepEqual(account, { id: account.id, name: 'Ann', email: 'Ann@Example.com', role: 'admin', tenantId: null })
  assert.equal(await accounts.count(), 1)
  const [listed, ...others] = await accounts.list()
  assert.deepEqual(others, [])
  assert.deepEqual({ ...listed, createdAt: '' }, { ...account, disabled: false, createdAt: '' })
  assert.deepEqual(await accounts.findByEmail('Ann@Example.com'), { ...account, passwordHash: 'hash', disabled: false })
})

behaviour(
  'an account keeps the tenant that it is tied to, whether that is there or not',
  async ({ accounts, sessions, clock }) => {
    const account = await accounts.create({ ...ANN, tenantId: 77 })
    assert.equal(account.tenantId, 77)
    assert.equal((await accounts.findByEmail(ANN.email))?.tenantId, 77)
    assert.equal((await accounts.list())[0]?.tenantId, 77)
    await sessions.open(TOKEN, { ...account, passwordHash: 'hash' }, { createdAt: clock.now(), expiresAt: END })
    assert.equal((await sessions.find(TOKEN))?.account.tenantId, 77)
  },
)

behaviour('an account is found by its e-mail in any case', async ({ accounts }) => {
  const { id } = await accounts.create(ANN)
  for (const email of ['ann@example.com', 'ANN@EXAMPLE.COM']) assert.equal((await accounts.findByEmail(email))?.id, id)
  for (const email of ['', 'ann', 'ann@example.co', 'ann@example.com ', '%'])
    assert.equal(await accounts.findByEmail(email), null)
})

behaviour('an e-mail that is taken is a conflict, in any case', async ({ accounts }) => {
  await accounts.create(ANN)
  await assert.rejects(accounts.create({ ...ANN, email: 'aNN@example.COM' }), {
    code: 'conflict',
    message: 'An account for aNN@example.COM already exists.',
  })
  assert.equal(await accounts.count(), 1)
})

behaviour('a change touches only what it names', async ({ accounts }) => {
  await accounts.create(BOB)
  const { id } = await accounts.create(ANN)
  await accounts.change(id, { role: 'supervisor' })
  await accounts.change(id, { passwordHash: 'new' })
  await accounts.change(id, { disabled: true })
  const ann = { id, name: 'Ann', email: 'Ann@Example.com', tenantId: null }
  const changed = { ...ann, role: 'supervisor', passwordHash: 'new', disabled: true }
  assert.deepEqual(await accounts.findByEmail(ANN.email), changed)
  await accounts.change(id, { disabled: false })
  assert.deepEqual(await accounts.findByEmail(ANN.email), { ...changed, disabled: false })
})

behaviour('an account gets another name and tenant, and its sessions see that at once', async ports => {
  const { id } = await signedIn(ports)
  const account = async () => (await ports.sessions.find(TOKEN))?.account
  await ports.accounts.change(id, { tenantId: 7 })
  assert.deepEqual(await account(), { id, name: 'Ann', email: 'Ann@Example.com', role: 'admin', tenantId: 7 })
  await ports.accounts.change(id, { name: 'Anne' })
  assert.deepEqual(await account(), { id, name: 'Anne', email: 'Ann@Example.com', role: 'admin', tenantId: 7 })
  await ports.accounts.change(id, { tenantId: null })
  assert.equal((await account())?.tenantId, null)
})

behaviour('changing or removing a missing account is not_found', async ({ accounts }) => {
  await assert.rejects(accounts.change(5, { role: 'admin' }), { code: 'not_found', message: 'Account not found.' })
  await assert.rejects(accounts.remove(5), { code: 'not_found' })
})

behaviour('a new password ends the sessions of its account, no others', async ports => {
  const account = await signedIn(ports)
  const other = await ports.accounts.create(BOB)
  await ports.sessions.open(
    'b'.repeat(64),
    { ...other, passwordHash: 'hash' },
    { createdAt: ports.clock.now(), expiresAt: END },
  )
  await ports.accounts.change(account.id, { passwordHash: 'new' })
  assert.equal(await ports.sessions.find(TOKEN), null)
  assert.ok(await ports.sessions.find('b'.repeat(64)))
})

behaviour('a disabled account has no sessions, and enabling it brings none back', async ports => {
  const { id } = await signedIn(ports)
  await ports.accounts.create(BOB)
  await ports.accounts.change(id, { disabled: true })
  assert.equal(await ports.sessions.find(TOKEN), null)
  await ports.accounts.change(id, { disabled: false })
  assert.equal(await ports.sessions.find(TOKEN), null)
  assert.deepEqual(await ports.sessions.list(), [])
})

behaviour('a new role is seen in the sessions at once', async ports => {
  const { id } = await signedIn(ports)
  await ports.accounts.change(id, { role: 'manager' })
  assert.equal((await ports.sessions.find(TOKEN))?.account.role, 'manager')
})

behaviour('removing an account deletes its sessions', async ports => {
  const { id } = await signedIn(ports)
  await ports.accounts.create(BOB)
  await ports.accounts.remove(id)
  assert.equal(await ports.sessions.find(TOKEN), null)
  assert.equal(await ports.accounts.count(), 1)
})

behaviour('the only account that can log in is neither disabled nor removed, whatever its role', async ports => {
  const { accounts, sessions } = ports
  const ann = await signedIn(ports)
  const bob = await accounts.create(BOB)
  await accounts.change(bob.id, { disabled: true })
  const refusal = {
    code: 'conflict',
    message: 'Ann@Example.com is the only account that can log in; make or enable another first.',
  }
  await assert.rejects(accounts.change(ann.id, { disabled: true, role: 'manager' }), refusal)
  await assert.rejects(accounts.remove(ann.id), refusal)
  assert.deepEqual((await sessions.find(TOKEN))?.account, ann)
  await accounts.change(bob.id, { disabled: true })
  await accounts.change(bob.id, { disabled: false })
  await accounts.remove(ann.id)
  await accounts.change(bob.id, { role: 'manager' })
  await assert.rejects(accounts.change(bob.id, { disabled: true }), { code: 'conflict' })
})

behaviour('while roles are enforced, an admin of all tenants stays that can log in', async ({ accounts }) => {
  const ann = await accounts.create(ANN)
  await accounts.create(BOB)
  const dana = await accounts.create({ ...ANN, name: 'Dana', email: 'dana@example.com', tenantId: 7 })
  const eve = await accounts.create({ ...ANN, name: 'Eve', email: 'eve@example.com' })
  const enforced = (id: number, change: AccountChange) => accounts.change(id, change, undefined, 'enforced')
  await enforced(eve.id, { disabled: true })
  const refusal = {
    code: 'conflict',
    message: 'Ann@Example.com is the only admin of all tenants; make another first.',
  }
  for (const change of [{ role: 'manager' }, { tenantId: 7 }, { disabled: true }] as const)
    await assert.rejects(enforced(ann.id, change), refusal)
  await assert.rejects(accounts.remove(ann.id, undefined, 'enforced'), refusal)
  assert.deepEqual(await accounts.findByEmail(ANN.email), { ...ann, passwordHash: 'hash', disabled: false })
  await enforced(ann.id, { name: 'Anne', passwordHash: 'other', role: 'admin', tenantId: null })
  await enforced(dana.id, { role: 'manager' })
  await enforced(dana.id, { role: 'admin', tenantId: null })
  await enforced(ann.id, { role: 'manager' })
  await accounts.change(dana.id, { role: 'supervisor' })
  await enforced(dana.id, { tenantId: 7 })
})

behaviour('of two admins of all tenants that are changed at the same moment, one stays', async ({ accounts }) => {
  await accounts.create(BOB)
  for (let turn = 0; turn < 5; turn++) {
    const made = [0, 1].map(n => accounts.create({ ...ANN, email: `admin${turn}.${n}@example.com` }))
    const [one, other] = await Promise.all(made)
    const changes = [
      accounts.change(one?.id ?? 0, { role: 'manager' }, undefined, 'enforced'),
      accounts.remove(other?.id ?? 0, undefined, 'enforced'),
    ]
    const done = await Promise.allSettled(changes)
    const admins = (await accounts.list()).filter(({ role }) => role === 'admin')
    assert.equal(admins.length, 1)
    assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1)
    await accounts.remove(admins[0]?.id ?? 0)
  }
})
