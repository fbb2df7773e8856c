import { invalidCredentials } from '../../core/accounts.ts'
import type { Timestamp } from '../../core/dates.ts'
import type { Session, Sessions } from '../../core/ports/accounts.ts'
import type { SignedIn } from './accounts.ts'
import type { Journal } from './tables.ts'
import type { Trail } from './trail.ts'

export interface StoredSession {
  readonly tokenHash: string
  readonly accountId: number
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
  readonly origin: string | null
}

const idOf = ({ tokenHash }: StoredSession): string => tokenHash.slice(0, 12)

export function sessions(journal: Journal, trail: Trail, tables: SignedIn): Sessions {
  const of = (tokenHash: string): [id: number, session: StoredSession][] =>
    tables.sessions.entries().filter(([, session]) => session.tokenHash === tokenHash)
  /** The session as the port returns it; none while its account is disabled. */
  const shown = ({ accountId, createdAt, expiresAt }: StoredSession): Session[] => {
    const account = tables.accounts.get(accountId)
    if (!account || account.disabled) return []
    const { id, name, email, role, tenantId } = account
    return [{ account: { id, name, email, role, tenantId }, createdAt, expiresAt }]
  }
  /** Ends the matching sessions, and returns them. */
  const end = (isEnded: (session: StoredSession) => boolean): readonly StoredSession[] => {
    const ended = tables.sessions.entries().filter(([, session]) => isEnded(session))
    for (const [id] of ended) tables.sessions.delete(id)
    return ended.map(([, session]) => session)
  }
  const revoke: Sessions['revoke'] = async (which, by) =>
    journal.atomically(() => {
      const ended = end(
        session =>
          which === 'all' || ('id' in which ? idOf(session) === which.id : session.accountId === which.accountId),
      )
      const [first] = ended
      if (first)
        trail.note('revoke', 'accounts', which === 'all' ? null : first.accountId, { sessions: ended.length }, by)
      return ended.length
    })
  return {
    open: async (tokenHash, { id, passwordHash }, { createdAt, expiresAt }, by) =>
      journal.atomically(() => {
        const account = tables.accounts.get(id)
        if (!account || account.disabled || account.passwordHash !== passwordHash) throw invalidCredentials()
        if (of(tokenHash).length > 0) throw new Error('Two sessions cannot have the same token.')
        tables.sessions.add(() => ({ tokenHash, accountId: id, createdAt, expiresAt, origin: by?.origin ?? null }))
        trail.note('login', 'accounts', id, {}, by)
      }),
    find: async tokenHash => of(tokenHash).flatMap(([, session]) => shown(session))[0] ?? null,
    extend: async (tokenHash, expiresAt) => {
      for (const [id, session] of of(tokenHash)) tables.sessions.set(id, { ...session, expiresAt })
    },
    end: async (tokenHash, by) =>
      journal.atomically(() => {
        for (const [id, { accountId }] of of(tokenHash)) {
          tables.sessions.delete(id)
          trail.note('logout', 'accounts', accountId, {}, by)
        }
      }),
    revoke,
    forgetExpired: async now => end(({ expiresAt }) => expiresAt <= now).length,
    list: async () =>
      tables.sessions
        .entries()
        .map(([, session]) => session)
        .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
        .flatMap(session => shown(session).map(each => ({ ...each, id: idOf(session), origin: session.origin }))),
  }
}
