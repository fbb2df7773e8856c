import type { Actor } from '../audit.ts'
import type { Timestamp } from '../dates.ts'

export interface Account {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly role: Role
  /** The tenant whose records alone it sees and changes; null for all. It outlives the tenant. */
  readonly tenantId: number | null
}

export const ROLES = ['admin', 'manager', 'supervisor'] as const
export type Role = (typeof ROLES)[number]

export interface Credentials extends Account {
  readonly passwordHash: string
  readonly disabled: boolean
}

export type NewAccount = Omit<Account, 'id' | 'tenantId'> & {
  readonly passwordHash: string
  readonly tenantId?: number | null
}

/** What is given is changed. */
export interface AccountChange {
  readonly passwordHash?: string
  readonly name?: string
  readonly role?: Role
  /** null unties it. */
  readonly tenantId?: number | null
  readonly disabled?: boolean
}

export interface Accounts {
  count(): Promise<number>
  /** By e-mail in any case; null when there is none. */
  findByEmail(email: string): Promise<Credentials | null>
  list(): Promise<(Account & { readonly disabled: boolean; readonly createdAt: Timestamp })[]>
  /** Throws `conflict` when the e-mail is taken. */
  create(account: NewAccount, by?: Actor): Promise<Account>
  /**
   * Changes an account; a new password or disabling it ends its sessions. Throws `not_found`, and `conflict` rather
   * than disable the only account that can log in.
   */
  change(id: number, change: AccountChange, by?: Actor): Promise<void>
  /** Deletes an account and its sessions. Throws `not_found`, and `conflict` for the only one that can log in. */
  remove(id: number, by?: Actor): Promise<void>
}

export interface Session {
  readonly account: Account
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
}

/** Signed-in sessions, known by the SHA-256 of their token (hexadecimal). */
export interface Sessions {
  /**
   * Notes a login in the audit trail. Throws `invalid_credentials` when the account is disabled or gone, or its password
   * another.
   */
  open(
    tokenHash: string,
    credentials: Pick<Credentials, 'id' | 'passwordHash'>,
    life: Pick<Session, 'createdAt' | 'expiresAt'>,
    by?: Actor,
  ): Promise<void>
  /** The session with an enabled account, whether expired or not; null when there is none. */
  find(tokenHash: string): Promise<Session | null>
  /** Puts the end of a session off; a session that is gone stays gone. */
  extend(tokenHash: string, expiresAt: Timestamp): Promise<void>
  /** Ends a session and notes a logout in the audit trail; nothing happens when there is none. */
  end(tokenHash: string, by?: Actor): Promise<void>
  /** Ends the one that is listed by this id, those of one account, or all; notes it in the audit trail, returns how many. */
  revoke(which: { readonly id: string } | { readonly accountId: number } | 'all', by?: Actor): Promise<number>
  forgetExpired(now: Timestamp): Promise<number>
  /** The latest first, each by an id that is not its token. */
  list(): Promise<(Session & { readonly id: string })[]>
}

export interface Passwords {
  /** Throws `busy` when too many wait. */
  hash(password: string): Promise<string>
  /** Takes the same time for no hash (null, always false) as for a wrong password. Throws `busy`. */
  verify(hash: string | null, password: string): Promise<boolean>
}
