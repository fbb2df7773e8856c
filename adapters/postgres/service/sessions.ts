import { invalidCredentials } from '../../../core/accounts.ts'
import type { Session, Sessions } from '../../../core/ports/accounts.ts'
import { SESSION_COLUMNS, type SessionRow, sessionIn } from '../../sql/session-row.ts'
import type { Database } from '../database/database.ts'
import { Gatherer } from '../database/gather.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import type { AuditTrail } from './audit.ts'

const SELECT = raw(`SELECT ${SESSION_COLUMNS}
  FROM sessions s JOIN accounts a ON a.id = s.account_id AND NOT a.disabled`)

/** A session's id is this many characters of its token's hash. */
const ID_LENGTH = 12

function conditionOf(which: Parameters<Sessions['revoke']>[0]): Sql {
  if (which === 'all') return raw('true')
  return 'id' in which
    ? sql`left(token_hash, ${raw(String(ID_LENGTH))}) = ${which.id}`
    : sql`account_id = ${which.accountId}`
}

/**
 * Caches nothing, since another daemon may end a session. Reads the sessions of one turn of the event loop together.
 */
export function sessions(database: Database, trail: AuditTrail): Sessions {
  const found = new Gatherer<string, Session | null>(async hashes => {
    const rows = await database.rows<SessionRow>(sql`${SELECT} WHERE s.token_hash = ANY(${hashes})`)
    const byHash = new Map(rows.map(row => [row.token_hash, sessionIn(row)]))
    return hashes.map(hash => byHash.get(hash) ?? null)
  })
  return {
    open: (tokenHash, { id, passwordHash }, { createdAt, expiresAt }, by) =>
      database.write(async within => {
        // The account may have been changed or deleted during the password check.
        const opened =
          await within.run(sql`INSERT INTO sessions (token_hash, account_id, created_at, expires_at, origin)
          SELECT ${tokenHash}, id, ${createdAt}, ${expiresAt}, ${by?.origin ?? null} FROM accounts
          WHERE id = ${id} AND NOT disabled AND password_hash = ${passwordHash} FOR SHARE`)
        if (opened === 0) throw invalidCredentials()
        await trail.note(within, 'login', 'accounts', id, {}, by)
      }),
    find: tokenHash => found.ask(tokenHash),
    extend: async (tokenHash, expiresAt) => {
      await database.single.run(sql`UPDATE sessions SET expires_at = ${expiresAt} WHERE token_hash = ${tokenHash}`)
    },
    end: (tokenHash, by) =>
      database.write(async within => {
        const accountId = await within.value<number>(
          sql`DELETE FROM sessions WHERE token_hash = ${tokenHash} RETURNING account_id`,
        )
        if (accountId !== undefined) await trail.note(within, 'logout', 'accounts', accountId, {}, by)
      }),
    revoke: (which, by) =>
      database.write(async within => {
        const ended = await within.values<number>(
          sql`DELETE FROM sessions WHERE ${conditionOf(which)} RETURNING account_id`,
        )
        const [first] = ended
        if (first !== undefined)
          await trail.note(within, 'revoke', 'accounts', which === 'all' ? null : first, { sessions: ended.length }, by)
        return ended.length
      }),
    forgetExpired: now => database.single.run(sql`DELETE FROM sessions WHERE expires_at <= ${now}`),
    list: async () =>
      (await database.rows<SessionRow>(sql`${SELECT} ORDER BY s.created_at DESC, s.token_hash`)).map(row => ({
        ...sessionIn(row),
        origin: row.origin,
        id: row.token_hash.slice(0, ID_LENGTH),
      })),
  }
}
