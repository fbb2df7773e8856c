import type { RoleMode } from '../../../core/access/modes.ts'
import {
  assertSomebodyStays,
  changesOfAccount,
  creationOf,
  endsSessions,
  mayTakeAway,
  takenEmail,
} from '../../../core/accounts.ts'
import type { Actor } from '../../../core/audit.ts'
import { notFound } from '../../../core/errors.ts'
import type { Account, AccountChange, Accounts, NewAccount } from '../../../core/ports/accounts.ts'
import { type AccountRow, credentialsIn, storedIn } from '../../sql/account-row.ts'
import type { Connection } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import type { Foundation } from '../foundation.ts'

/** `onSessionsEnded` is called if a change may have ended sessions. */
export function accounts(foundation: Foundation, onSessionsEnded: () => void): Accounts {
  const { connection, writer } = foundation
  const { query, value } = connection
  const steps = accountSteps(foundation)
  const changing = (change: () => void): Promise<void> => writer.write(change).finally(onSessionsEnded)
  return {
    count: async () => value<[], number>('SELECT count(*) FROM accounts').get() ?? 0,
    findByEmail: async email => {
      const row = query<[string], AccountRow>('SELECT * FROM accounts WHERE lower(email) = lower(?)').get(email)
      return row ? credentialsIn(row) : null
    },
    list: async () => query<[], AccountRow>('SELECT * FROM accounts ORDER BY id').all().map(storedIn),
    create: (account, by) => writer.write(() => steps.create(account, by)),
    change: (id, change, by, roles) => changing(() => steps.change(id, change, by, roles)),
    remove: (id, by, roles) => changing(() => steps.remove(id, by, roles)),
  }
}

/** The synchronous steps of write transactions. */
function accountSteps({ connection, clock, trail }: Foundation) {
  const { query } = connection
  return {
    create: (account: NewAccount, by?: Actor): Account => {
      const { name, email, role, tenantId = null } = account
      const id = insert(connection, account, clock.now())
      trail.note('create', 'accounts', id, creationOf(account), by)
      return { id, name, email, role, tenantId }
    },
    change: (id: number, change: AccountChange, by?: Actor, roles: RoleMode = 'off'): void => {
      assertOthers(connection, id, change, roles)
      const was = query<[number], AccountRow>('SELECT * FROM accounts WHERE id = ?').get(id)
      if (!was) throw notFound('Account')
      const before = credentialsIn(was)
      const { name, role, tenantId, passwordHash, disabled } = { ...before, ...change }
      query<[string, string, number | null, string, number, string, number], unknown>(
        `UPDATE accounts SET name = ?, role = ?, tenant_id = ?, password_hash = ?, disabled = ?, updated_at = ?
         WHERE id = ?`,
      ).run(name, role, tenantId, passwordHash, Number(disabled), clock.now(), id)
      trail.note('update', 'accounts', id, changesOfAccount(before, change), by)
      if (endsSessions(change)) query<[number], unknown>('DELETE FROM sessions WHERE account_id = ?').run(id)
    },
    remove: (id: number, by?: Actor, roles: RoleMode = 'off'): void => {
      assertOthers(connection, id, null, roles)
      trail.note('delete', 'accounts', id, {}, by)
      const { changes } = query<[number], unknown>('DELETE FROM accounts WHERE id = ?').run(id)
      if (changes === 0) throw notFound('Account')
    },
  }
}

function insert(
  { value }: Connection,
  { name, email, role, tenantId = null, passwordHash }: NewAccount,
  now: string,
): number {
  const statement = value<[string, string, string, number | null, string, string, string], number>(
    `INSERT INTO accounts (name, email, role, tenant_id, password_hash, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  )
  try {
    return statement.get(name, email, role, tenantId, passwordHash, now, now) ?? 0
  } catch (error) {
    if (isConstraint(error)) throw takenEmail(email)
    throw error
  }
}

function assertOthers({ query }: Connection, id: number, change: AccountChange | null, roles: RoleMode): void {
  if (!mayTakeAway(change, roles)) return
  const enabled = query<[], AccountRow>('SELECT * FROM accounts WHERE disabled = 0').all()
  assertSomebodyStays(enabled.map(storedIn), id, change, roles)
}
