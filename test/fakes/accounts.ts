import type { RoleMode } from '../../core/access/modes.ts'
import { assertSomebodyStays, changesOfAccount, creationOf, endsSessions, takenEmail } from '../../core/accounts.ts'
import type { Actor } from '../../core/audit.ts'
import type { Timestamp } from '../../core/dates.ts'
import { notFound } from '../../core/errors.ts'
import type { Account, AccountChange, Accounts, Credentials, NewAccount } from '../../core/ports/accounts.ts'
import type { Clock } from '../../core/ports/system.ts'
import type { StoredSession } from './sessions.ts'
import type { Journal, Table } from './tables.ts'
import type { Trail } from './trail.ts'

export interface StoredAccount extends Credentials {
  readonly createdAt: Timestamp
}

export interface SignedIn {
  readonly accounts: Table<StoredAccount>
  readonly sessions: Table<StoredSession>
}

export function accounts(journal: Journal, clock: Clock, trail: Trail, tables: SignedIn): Accounts {
  const all = (): StoredAccount[] => tables.accounts.entries().map(([, account]) => account)
  const withEmail = (email: string): StoredAccount | undefined =>
    all().find(account => account.email.toLowerCase() === email.toLowerCase())
  const stored = (id: number): StoredAccount => {
    const account = tables.accounts.get(id)
    if (!account) throw notFound('Account')
    return account
  }
  const enabled = () => all().filter(({ disabled }) => !disabled)
  const endSessions = (accountId: number): void => {
    for (const [id, session] of tables.sessions.entries())
      if (session.accountId === accountId) tables.sessions.delete(id)
  }

  const create = (account: NewAccount, by?: Actor): Account => {
    if (withEmail(account.email)) throw takenEmail(account.email)
    const id = tables.accounts.add(id => ({ tenantId: null, ...account, id, disabled: false, createdAt: clock.now() }))
    const { name, email, role, tenantId = null } = account
    trail.note('create', 'accounts', id, creationOf(account), by)
    return { id, name, email, role, tenantId }
  }
  const change = (account: StoredAccount, values: AccountChange, by?: Actor, roles: RoleMode = 'off'): void => {
    assertSomebodyStays(enabled(), account.id, values, roles)
    tables.accounts.set(account.id, { ...account, ...values })
    trail.note('update', 'accounts', account.id, changesOfAccount(account, values), by)
    if (endsSessions(values)) endSessions(account.id)
  }
  const remove = (account: StoredAccount, by?: Actor, roles: RoleMode = 'off'): void => {
    assertSomebodyStays(enabled(), account.id, null, roles)
    trail.note('delete', 'accounts', account.id, {}, by)
    endSessions(account.id)
    tables.accounts.delete(account.id)
  }
  return {
    count: async () => all().length,
    findByEmail: async email => {
      const { createdAt: _, ...found } = withEmail(email) ?? { id: 0, createdAt: '' }
      return 'email' in found ? found : null
    },
    list: async () => all().map(({ passwordHash: _, ...account }) => account),
    create: async (account, by) => journal.atomically(() => create(account, by)),
    change: async (id, values, by, roles) => journal.atomically(() => change(stored(id), values, by, roles)),
    remove: async (id, by, roles) => journal.atomically(() => remove(stored(id), by, roles)),
  }
}
