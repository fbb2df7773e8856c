import type { RoleMode } from './access/modes.ts'
import { isUnlimited, viewerOf } from './access/policy.ts'
import type { Changes } from './audit.ts'
import { AppError } from './errors.ts'
import type { Account, AccountChange, NewAccount } from './ports/accounts.ts'

/** The account rules that every storage enforces, and what the audit trail keeps of account changes. */

export const takenEmail = (email: string): AppError =>
  new AppError('conflict', `An account for ${email} already exists.`)

export const unknownAccount = (email: string): AppError =>
  new AppError('not_found', `There is no account ${email}.`, { hint: 'trunkline admin list' })

const ANOTHER = { hint: 'trunkline admin create another@example.com --random-password' }

type Kept = Pick<Account, 'id' | 'email' | 'role' | 'tenantId'>

/** A change of an account; null deletes it. */
type Fate = AccountChange | null

/** Whether a change may take somebody away, so that the accounts have to be looked at, one change after the other. */
export const mayTakeAway = (change: Fate, roles: RoleMode): boolean =>
  change === null ||
  change.disabled === true ||
  (roles === 'enforced' && (change.role !== undefined || change.tenantId !== undefined))

/**
 * Throws `conflict` if the change would leave no account that can log in, or none that may do everything: then nobody
 * could make one but on the command line. Of the accounts, it gets those that can log in.
 */
export function assertSomebodyStays(enabled: readonly Kept[], id: number, change: Fate, roles: RoleMode): void {
  const account = enabled.find(each => each.id === id)
  if (!account) return
  const others = enabled.filter(each => each !== account)
  const after = change === null || change.disabled ? [] : [{ ...account, ...change }]
  if (others.length + after.length === 0)
    throw new AppError(
      'conflict',
      `${account.email} is the only account that can log in; make or enable another first.`,
      ANOTHER,
    )
  const mayDoAll = (each: Kept): boolean => isUnlimited(viewerOf(each, roles))
  if (roles === 'enforced' && mayDoAll(account) && ![...others, ...after].some(mayDoAll))
    throw new AppError('conflict', `${account.email} is the only admin of all tenants; make another first.`, ANOTHER)
}

export const invalidCredentials = (): AppError => new AppError('invalid_credentials', 'Invalid credentials.')

export const creationOf = ({ name, email, role, tenantId }: NewAccount): Changes => ({
  name: { after: name },
  email: { after: email },
  role: { after: role },
  ...((tenantId ?? null) === null ? {} : { tenant_id: { after: tenantId } }),
})

export const changesOfAccount = (
  before: Pick<Account, 'name' | 'role' | 'tenantId'>,
  { passwordHash, name, role, tenantId, disabled }: AccountChange,
): Changes => ({
  ...(passwordHash === undefined ? {} : { password: 'changed' }),
  ...(name === undefined ? {} : { name: { before: before.name, after: name } }),
  ...(role === undefined ? {} : { role: { before: before.role, after: role } }),
  ...(tenantId === undefined ? {} : { tenant_id: { before: before.tenantId, after: tenantId } }),
  ...(disabled === undefined ? {} : { disabled: { after: disabled } }),
})

export const endsSessions = ({ passwordHash, disabled }: AccountChange): boolean =>
  passwordHash !== undefined || disabled === true
