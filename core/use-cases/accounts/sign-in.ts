import { invalidCredentials } from '../../accounts.ts'
import type { Actor } from '../../audit.ts'
import { addSeconds, type Timestamp } from '../../dates.ts'
import { AppError } from '../../errors.ts'
import type { Account, Accounts, Credentials, Passwords, Session, Sessions } from '../../ports/accounts.ts'
import type { Clock } from '../../ports/system.ts'
import { text } from '../../resources/field.ts'
import { parseWhole } from '../../resources/values/input.ts'
import { rules } from '../../resources/values/text-rules.ts'

export const loginFields = {
  email: text(255, { rule: rules.email, examples: ['admin@example.com'] }),
  password: text(1024, { untrimmed: true, examples: ['correct horse'] }),
}

/** From NIST SP 800-63B. */
const SHORTEST_PASSWORD = 8

/** The rules of a new password. */
export const newPassword = {
  untrimmed: true,
  rule: {
    holds: (password: string) => [...password].length >= SHORTEST_PASSWORD,
    predicate: `must be at least ${SHORTEST_PASSWORD} characters`,
  },
} as const

/** The rules for a new account or password; passwords stored earlier may be shorter. */
export const accountFields = {
  ...loginFields,
  password: text(1024, newPassword),
}

export interface SessionLives {
  /** Seconds without a request. */
  readonly idle: number
  /** Seconds since login. */
  readonly absolute: number
}

export interface SignIn {
  /**
   * Returns the account's credentials. Throws `invalid_credentials`, the same for an unknown account, a wrong password
   * and a disabled account.
   */
  authenticate(email: string, password: string): Promise<Credentials>
  /** Stores a new session. Throws `invalid_credentials` if the credentials have changed since. */
  open(tokenHash: string, credentials: Credentials, origin: string): Promise<void>
  /**
   * Returns the account of a live session, null if there is none. Restarts its idle time, unless the request may come
   * without anybody there.
   */
  resume(tokenHash: string, options?: { readonly isUnattended?: boolean }): Promise<Account | null>
  /**
   * Ends a session at once, even while nothing can be written: `forgetExpired` then deletes it later. Throws then if
   * other programs serve the session, which they still take.
   */
  end(tokenHash: string, by: Actor): Promise<void>
  /** Deletes sessions that ended or expired; returns the number of expired ones. */
  forgetExpired(): Promise<number>
}

interface Dependencies {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly clock: Clock
  readonly lives: SessionLives
  /** True if other programs serve the same sessions, so that one is over only once that is stored. */
  readonly isShared?: boolean
}

/** The number of sessions whose last request is remembered. */
const REMEMBERED = 10_000

/** Throws `invalid`. */
export const readCredentials = (body: unknown) => parseWhole(loginFields, body)

/** The same for a new account or password. Throws `invalid`. */
export const readNewCredentials = (body: unknown) => parseWhole(accountFields, body)

export function signIn({ accounts, sessions, passwords, clock, lives, isShared = false }: Dependencies): SignIn {
  const { endOf, isOver, isWorthExtending, slack } = lifetime(lives)
  const now = steady(clock)
  /** Ended sessions that are still stored, since nothing could be written then. */
  const ended = new Map<string, Actor>()
  /** The last requests of sessions whose stored end is out of date. */
  const lastRequests = new Map<string, Timestamp>()
  const extending = new Set<string>()

  /** Nothing waits for it: reading goes on while nothing can be written. */
  const extend = (tokenHash: string, session: Session, moment: Timestamp): void => {
    if (extending.has(tokenHash)) return
    extending.add(tokenHash)
    sessions
      .extend(tokenHash, endOf(session.createdAt, moment))
      .catch(() => undefined)
      .finally(() => extending.delete(tokenHash))
  }
  const end = async (tokenHash: string, by: Actor): Promise<void> => {
    lastRequests.delete(tokenHash)
    ended.set(tokenHash, by)
    await sessions.end(tokenHash, by)
    ended.delete(tokenHash)
  }
  return {
    authenticate: async (email, password) => {
      const found = await accounts.findByEmail(email)
      const correct = await passwords.verify(found && !found.disabled ? found.passwordHash : null, password)
      if (!found || !correct) throw invalidCredentials()
      return found
    },
    open: (tokenHash, credentials, origin) => {
      const moment = now()
      const life = { createdAt: moment, expiresAt: endOf(moment, moment) }
      return sessions.open(tokenHash, credentials, life, { name: credentials.email, origin })
    },
    resume: async (tokenHash, { isUnattended = false } = {}) => {
      if (ended.has(tokenHash)) return null
      const session = await sessions.find(tokenHash)
      const moment = now()
      if (!session || isOver(session, lastRequests.get(tokenHash), moment)) {
        lastRequests.delete(tokenHash)
        return null
      }
      if (isUnattended) return session.account
      if (lastRequests.size >= REMEMBERED) lastRequests.clear()
      lastRequests.set(tokenHash, moment)
      if (isWorthExtending(session, moment)) extend(tokenHash, session, moment)
      return session.account
    },
    end: (tokenHash, by) =>
      end(tokenHash, by).catch(error => {
        if (isShared || !(error instanceof AppError)) throw error
      }),
    forgetExpired: async () => {
      await Promise.all([...ended].map(([tokenHash, by]) => end(tokenHash, by)))
      return sessions.forgetExpired(addSeconds(now(), -slack))
    },
  }
}

/** Seconds that the system's clock may lag before it counts as set back. */
const TOLERANCE = 1

/** Returns the clock's time, which keeps moving while the clock is set back. */
function steady(clock: Clock): () => Timestamp {
  let [latest, at] = [Number.NEGATIVE_INFINITY, 0]
  return () => {
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    const seconds = Date.parse(now) / 1000
    const behind = latest + monotonic - at - seconds
    if (behind > TOLERANCE) return addSeconds(now, behind)
    if (behind <= 0) [latest, at] = [seconds, monotonic]
    return now
  }
}

function lifetime({ idle, absolute }: SessionLives) {
  /** The most seconds that a session's stored end may lag. */
  const slack = idle / 60
  /** Returns when a session ends after a request at `last`. */
  const endOf = (createdAt: Timestamp, last: Timestamp): Timestamp => {
    const idleEnd = addSeconds(last, idle)
    const absoluteEnd = addSeconds(createdAt, absolute)
    return idleEnd < absoluteEnd ? idleEnd : absoluteEnd
  }
  return {
    slack,
    endOf,
    isOver: (session: Session, last: Timestamp | undefined, now: Timestamp): boolean => {
      const { createdAt, expiresAt } = session
      // Used later than now: the clock was set back before this process began, and hides the age of the session.
      if (last === undefined && (createdAt > now || expiresAt > addSeconds(now, idle))) return true
      return expiresAt <= now && (last === undefined || endOf(createdAt, last) <= now)
    },
    /** Moves the stored end only once it has shifted by the slack, so that reading seldom writes. */
    isWorthExtending: ({ createdAt, expiresAt }: Session, now: Timestamp): boolean =>
      now >= addSeconds(expiresAt, slack - idle) && addSeconds(expiresAt, slack) <= endOf(createdAt, now),
  }
}
