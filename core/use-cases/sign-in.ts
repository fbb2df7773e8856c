import { addSeconds, type Timestamp } from '../dates.ts'
import { AppError } from '../errors.ts'
import type { Account, Accounts, Passwords, Session, Sessions } from '../ports/accounts.ts'
import type { Clock } from '../ports/system.ts'
import { rules, text } from '../resources/field.ts'
import { parseWhole } from '../resources/input.ts'

export const loginFields = {
  email: text(255, { rule: rules.email, examples: ['admin@example.com'] }),
  password: text(1024, { untrimmed: true, examples: ['correct horse'] }),
}

export interface SessionLives {
  /** Seconds without a request. */
  readonly idle: number
  /** Seconds since login. */
  readonly absolute: number
}

export interface SignIn {
  /** The account with these credentials. Throws `invalid_credentials`, alike for an unknown, wrong or disabled one. */
  authenticate(email: string, password: string): Promise<Account>
  /** Stores a new session for the account. */
  open(tokenHash: string, accountId: number): Promise<void>
  /** The live session's account, its idle life begun anew; null when there is none. */
  resume(tokenHash: string): Promise<Account | null>
  end(tokenHash: string): Promise<void>
}

interface Dependencies {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly clock: Clock
  readonly lives: SessionLives
}

/** Who only reads goes on reading while nothing can be written; the session just is not extended. */
function unlessUnwritable(error: unknown): void {
  if (!(error instanceof AppError && ['storage_full', 'read_only', 'busy'].includes(error.code))) throw error
}

/** Throws `invalid`. */
export const readCredentials = (body: unknown) => parseWhole(loginFields, body)

export function signIn({ accounts, sessions, passwords, clock, lives }: Dependencies): SignIn {
  const endOf = (createdAt: Timestamp, now: Timestamp): Timestamp => {
    const idle = addSeconds(now, lives.idle)
    const absolute = addSeconds(createdAt, lives.absolute)
    return idle < absolute ? idle : absolute
  }
  /** An end is put off only once it moves by a sixtieth of the idle life, so that reading seldom writes. */
  const isWorthExtending = (session: Session, now: Timestamp): boolean => {
    if (now < addSeconds(session.expiresAt, lives.idle / 60 - lives.idle)) return false
    return addSeconds(session.expiresAt, lives.idle / 60) <= endOf(session.createdAt, now)
  }
  return {
    authenticate: async (email, password) => {
      const found = await accounts.findByEmail(email)
      const correct = await passwords.verify(found && !found.disabled ? found.passwordHash : null, password)
      if (!found || !correct) throw new AppError('invalid_credentials', 'Invalid credentials.')
      return { id: found.id, name: found.name, email: found.email, role: found.role }
    },
    open: (tokenHash, accountId) => {
      const now = clock.now()
      return sessions.open(tokenHash, accountId, now, endOf(now, now))
    },
    resume: async tokenHash => {
      const session = await sessions.find(tokenHash)
      const now = clock.now()
      if (!session || session.expiresAt <= now) return null
      if (isWorthExtending(session, now))
        await sessions.extend(tokenHash, endOf(session.createdAt, now)).catch(unlessUnwritable)
      return session.account
    },
    end: tokenHash => sessions.end(tokenHash),
  }
}
