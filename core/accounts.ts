import type { Changes } from './audit.ts'
import { AppError } from './errors.ts'
import type { Account, AccountChange, NewAccount } from './ports/accounts.ts'

/** The account rules that every storage enforces, and what the audit trail keeps of account changes. */

export const takenEmail = (email: string): AppError =>
  new AppError('conflict', `An account for ${email} already exists.`)

export const unknownAccount = (email: string): AppError =>
  new AppError('not_found', `There is no account ${email}.`, { hint: 'trunkline admin list' })

/** Without an account that can log in, the API is locked. */
export const lastAccount = (email: string): AppError =>
  new AppError('conflict', `${email} is the only account that can log in; make or enable another first.`, {
    hint: 'trunkline admin create another@example.com --random-password',
  })

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
