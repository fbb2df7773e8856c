import type { RoleMode } from '../../../core/access/modes.ts'
import {
  assertSomebodyStays,
  changesOfAccount,
  creationOf,
  endsSessions,
  mayTakeAway,
  takenEmail,
} from '../../../core/accounts.ts'
import { notFound } from '../../../core/errors.ts'
import type { AccountChange, Accounts, NewAccount } from '../../../core/ports/accounts.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { type AccountRow, credentialsIn, storedIn } from '../../sql/account-row.ts'
import type { Database } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import type { AuditTrail } from './audit.ts'

export function accounts(database: Database, clock: Clock, trail: AuditTrail): Accounts {
  return {
    count: async () => (await database.value<number>(sql`SELECT count(*) FROM accounts`)) ?? 0,
    findByEmail: async email => {
      const row = await database.row<AccountRow>(
        sql`SELECT * FROM accounts WHERE lower(email) = lower(${email}::text COLLATE "C")`,
      )
      return row ? credentialsIn(row) : null
    },
    list: async () => (await database.rows<AccountRow>(sql`SELECT * FROM accounts ORDER BY id`)).map(storedIn),
    create: async (account, by) => {
      const { name, email, role, tenantId = null } = account
      try {
        return await database.write(async within => {
          const id = await insert(within, account, clock.now())
          await trail.note(within, 'create', 'accounts', id, creationOf(account), by)
          return { id, name, email, role, tenantId }
        })
      } catch (error) {
        throw isConstraint(error) ? takenEmail(email) : error
      }
    },
    change: (id, change, by, roles = 'off') =>
      database.write(async within => {
        await assertOthers(within, id, change, roles)
        const was = await within.row<AccountRow>(sql`SELECT * FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`)
        if (!was) throw notFound('Account')
        const before = credentialsIn(was)
        const { name, role, tenantId, passwordHash, disabled } = { ...before, ...change }
        await within.run(sql`UPDATE accounts SET name = ${name}, role = ${role}, tenant_id = ${tenantId},
          password_hash = ${passwordHash}, disabled = ${disabled}, updated_at = ${clock.now()} WHERE id = ${id}`)
        await trail.note(within, 'update', 'accounts', id, changesOfAccount(before, change), by)
        if (endsSessions(change)) await within.run(sql`DELETE FROM sessions WHERE account_id = ${id}`)
      }),
    remove: (id, by, roles = 'off') =>
      database.write(async within => {
        await assertOthers(within, id, null, roles)
        await trail.note(within, 'delete', 'accounts', id, {}, by)
        if ((await within.run(sql`DELETE FROM accounts WHERE id = ${id}`)) === 0) throw notFound('Account')
      }),
  }
}

async function insert(within: Queries, account: NewAccount, now: string): Promise<number> {
  const { name, email, role, tenantId = null, passwordHash } = account
  const id = await within.value<number>(
    sql`INSERT INTO accounts (name, email, role, tenant_id, password_hash, created_at, updated_at)
      VALUES (${name}, ${email}, ${role}, ${tenantId}, ${passwordHash}, ${now}, ${now}) RETURNING id`,
  )
  return id ?? 0
}

/** Two changes at once could leave nobody, so one waits for the other. */
async function assertOthers(within: Queries, id: number, change: AccountChange | null, roles: RoleMode): Promise<void> {
  if (!mayTakeAway(change, roles)) return
  await within.run(raw('LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE'))
  const enabled = await within.rows<AccountRow>(sql`SELECT * FROM accounts WHERE NOT disabled`)
  assertSomebodyStays(enabled.map(storedIn), id, change, roles)
}
