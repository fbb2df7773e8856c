import type { RoleMode } from '../access/modes.ts'
import type { Actor } from '../audit.ts'
import type { Timestamp } from '../dates.ts'

export interface Account {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly role: Role
  /** The only tenant whose records the account sees and changes; null for all. It outlives the tenant. */
  readonly tenantId: number | null
}

export const ROLES = ['admin', 'manager', 'supervisor'] as const
export type Role = (typeof ROLES)[number]

/** An account as it is listed. */
export interface StoredAccount extends Account {
  readonly disabled: boolean
  readonly createdAt: Timestamp
}

export interface Credentials extends Account {
  readonly passwordHash: string
  readonly disabled: boolean
}

export type NewAccount = Omit<Account, 'id' | 'tenantId'> & {
  readonly passwordHash: string
  readonly tenantId?: number | null
}

/** Absent members stay as they are. */
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
  /** Finds an account by e-mail, in any case; null if there is none. */
  findByEmail(email: string): Promise<Credentials | null>
  list(): Promise<StoredAccount[]>
  /** Throws `conflict` when the e-mail is taken. */
  create(account: NewAccount, by?: Actor): Promise<Account>
  /**
   * Changes an account; a new password, or disabling it, ends its sessions. Throws `not_found`, and `conflict` if it
   * would disable the only account that can log in, or, while roles are enforced, change the only admin of all tenants
   * into something else, even if another change does the same to another at that moment.
   */
  change(id: number, change: AccountChange, by?: Actor, roles?: RoleMode): Promise<void>
  /** Deletes an account and its sessions. Throws as `change` does that disables it. */
  remove(id: number, by?: Actor, roles?: RoleMode): Promise<void>
}

export interface Session {
  readonly account: Account
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
}

/** Signed-in sessions, identified by the SHA-256 of their token (hexadecimal). */
export interface Sessions {
  /**
   * Opens a session and notes a login in the audit trail. Throws `invalid_credentials` if the account is disabled or
   * gone, or its password has changed.
   */
  open(
    tokenHash: string,
    credentials: Pick<Credentials, 'id' | 'passwordHash'>,
    life: Pick<Session, 'createdAt' | 'expiresAt'>,
    by?: Actor,
  ): Promise<void>
  /** Returns the session with an enabled account, even if expired; null if there is none. */
  find(tokenHash: string): Promise<Session | null>
  /** Postpones the end of a session; does nothing if it is gone. */
  extend(tokenHash: string, expiresAt: Timestamp): Promise<void>
  /** Ends a session and notes a logout in the audit trail; does nothing if there is none. */
  end(tokenHash: string, by?: Actor): Promise<void>
  /**
   * Ends the session with this listed id, those of one account, or all; notes it in the audit trail, and returns how
   * many.
   */
  revoke(which: { readonly id: string } | { readonly accountId: number } | 'all', by?: Actor): Promise<number>
  forgetExpired(now: Timestamp): Promise<number>
  /** The latest first, each by an id that is not its token. */
  list(): Promise<(Session & { readonly id: string; readonly origin: string | null })[]>
}

/** Counts attempts to log in, for all daemons that serve a database. */
export interface LoginCounts {
  /**
   * Adds one to the count of each key, which lasts so many seconds from its first; returns the counts in the order of
   * the keys.
   */
  add(keys: readonly string[], seconds: number): Promise<readonly LoginCount[]>
  /** Takes one from the count of each key. */
  takeBack(keys: readonly string[]): Promise<void>
  clear(key: string): Promise<void>
  forgetExpired(): Promise<void>
}

export interface LoginCount {
  readonly count: number
  readonly secondsLeft: number
}

export interface Passwords {
  /** Throws `busy` if too many calls wait. */
  hash(password: string): Promise<string>
  /** Checks a password. A null hash takes as long as a wrong password, and is always false. Throws `busy`. */
  verify(hash: string | null, password: string): Promise<boolean>
}
