import { invalidCredentials } from '../../../core/accounts.ts'
import type { Session, Sessions } from '../../../core/ports/accounts.ts'
import { SESSION_COLUMNS, type SessionRow, sessionIn } from '../../sql/session-row.ts'
import type { Connection } from '../database/database.ts'
import { othersCommits } from '../database/others.ts'
import type { Writer } from '../database/writer.ts'
import type { AuditTrail } from './audit.ts'

const SELECT = `SELECT ${SESSION_COLUMNS}
  FROM sessions s JOIN accounts a ON a.id = s.account_id AND a.disabled = 0`

export function sessions(
  connection: Connection,
  writer: Writer,
  trail: AuditTrail,
): Sessions & { forgetRemembered(): void } {
  const { query, value } = connection
  const remembered = memory(connection)
  const changing = <T>(change: () => T): Promise<T> => writer.write(change).finally(remembered.clear)
  return {
    forgetRemembered: remembered.clear,
    open: (tokenHash, { id, passwordHash }, { createdAt, expiresAt }, by) =>
      changing(() => {
        // An account may have been changed or deleted while its password was checked.
        const { changes } = query<[string, string, string, string | null, number, string], unknown>(
          `INSERT INTO sessions (token_hash, account_id, created_at, expires_at, origin)
           SELECT ?, id, ?, ?, ? FROM accounts WHERE id = ? AND disabled = 0 AND password_hash = ?`,
        ).run(tokenHash, createdAt, expiresAt, by?.origin ?? null, id, passwordHash)
        if (changes === 0) throw invalidCredentials()
        trail.note('login', 'accounts', id, {}, by)
      }),
    find: async tokenHash => {
      const cached = remembered.get(tokenHash)
      if (cached) return cached
      const row = query<[string], SessionRow>(`${SELECT} WHERE s.token_hash = ?`).get(tokenHash)
      return row ? remembered.set(tokenHash, sessionIn(row)) : null
    },
    extend: (tokenHash, expiresAt) =>
      changing(() => {
        query<[string, string], unknown>('UPDATE sessions SET expires_at = ? WHERE token_hash = ?').run(
          expiresAt,
          tokenHash,
        )
      }),
    end: (tokenHash, by) =>
      changing(() => {
        const ended = value<[string], number>('DELETE FROM sessions WHERE token_hash = ? RETURNING account_id')
        const accountId = ended.get(tokenHash)
        if (accountId !== undefined) trail.note('logout', 'accounts', accountId, {}, by)
      }),
    revoke: (which, by) =>
      changing(() => {
        const [condition, ...bound] = conditionOf(which)
        const ended = value<(string | number)[], number>(
          `DELETE FROM sessions WHERE ${condition} RETURNING account_id`,
        ).all(...bound)
        const [first] = ended
        if (first !== undefined)
          trail.note('revoke', 'accounts', which === 'all' ? null : first, { sessions: ended.length }, by)
        return ended.length
      }),
    forgetExpired: now =>
      changing(() => query<[string], unknown>('DELETE FROM sessions WHERE expires_at <= ?').run(now).changes),
    list: async () =>
      query<[], SessionRow>(`${SELECT} ORDER BY s.created_at DESC`)
        .all()
        .map(row => ({ ...sessionIn(row), origin: row.origin, id: row.token_hash.slice(0, ID_LENGTH) })),
  }
}

/** A session's id is that many characters of its token's hash. */
const ID_LENGTH = 12

function conditionOf(which: Parameters<Sessions['revoke']>[0]): [condition: string, ...bound: (string | number)[]] {
  if (which === 'all') return ['TRUE']
  return 'id' in which ? [`substr(token_hash, 1, ${ID_LENGTH}) = ?`, which.id] : ['account_id = ?', which.accountId]
}

/** Sessions remembered; others are read again. */
const REMEMBERED = 10_000

/**
 * Caches what was read until this process clears it or another process changes anything, which is checked once in a
 * turn of the event loop.
 */
function memory(connection: Connection) {
  const haveOthersCommitted = othersCommits(connection)
  const byHash = new Map<string, Session>()
  let isCurrent = false

  const forgetIfChanged = (): void => {
    if (isCurrent) return
    isCurrent = true
    setImmediate(() => {
      isCurrent = false
    })
    if (haveOthersCommitted()) byHash.clear()
  }

  return {
    get: (tokenHash: string): Session | undefined => {
      forgetIfChanged()
      return byHash.get(tokenHash)
    },
    set: (tokenHash: string, session: Session): Session => {
      if (byHash.size >= REMEMBERED) byHash.clear()
      byHash.set(tokenHash, session)
      return session
    },
    clear: (): void => byHash.clear(),
  }
}
