import type { Timestamp } from './dates.ts'
import type { FieldErrors } from './errors.ts'
import type { Resource, Row } from './resources/resource.ts'
import type { Message, Receipt, Submission } from './sms/message.ts'

/** JSON text, made by the storage in the form that the API shows. */
export type Json = string

/** Every call is one atomic step: when its promise resolves, what it did is on disk. */

export interface PageQuery {
  /** plain: the record's own fields; list: with what a list embeds. */
  readonly view: 'plain' | 'list'
  /** Only records whose fields hold these values. */
  readonly where?: Readonly<Record<string, string | number>>
  /** Only records that contain this text in a searched field, in any case. */
  readonly search?: string
  /** Only what comes after the record with this id, in the resource's order. */
  readonly after?: number
  /** At most so many records, in one page. */
  readonly limit?: number
}

export interface Page {
  /** The records' JSON objects, separated by commas; empty when there are none. */
  readonly json: Json
  readonly count: number
  /** The id of the page's last record when more follow, else null. */
  readonly next: number | null
}

/** The stored records of every declared resource. */
export interface Records {
  /**
   * The records in the resource's order, page by page, each read when it is asked for; always at least one page.
   * `limit` gives one page. Throws `invalid` on `after` when no record of that id tells the place.
   */
  list(resource: Resource, query: PageQuery): AsyncIterable<Page>
  /** The record as its single view shows it, long arrays apart (`many` in `single`); null when there is none. */
  show(resource: Resource, id: number): Promise<Json | null>
  /** The stored values, secrets included; null when there is none. */
  find(resource: Resource, id: number): Promise<Row | null>
  /** The ids (at most 2) of the records that hold these values. */
  identify(resource: Resource, where: Row): Promise<number[]>
  /** Sentences on references, uniqueness and limits that these values break; `id` is the record they are for. */
  violations(resource: Pick<Resource, 'name' | 'fields' | 'unique'>, values: Row, id?: number): Promise<FieldErrors>
  /** Stores a new record and returns its plain view. Throws `invalid` on what `violations` tells. */
  insert(resource: Resource, values: Row): Promise<Json>
  /** Changes the named fields and returns the plain view. Throws `not_found`, `invalid`. */
  update(resource: Resource, id: number, values: Row): Promise<Json>
  /**
   * Deletes a record. Throws `not_found`, and `conflict` with the dependants' counts when others restrict it, unless
   * `cascade` deletes them too.
   */
  remove(resource: Resource, id: number, options: { readonly cascade: boolean }): Promise<void>
}

export interface Messages {
  /** Stores a new message; `deadline` is when its sender must have settled it. Throws `invalid` on the tenant. */
  create(message: Omit<Message, 'id'>, deadline: Timestamp): Promise<Message>
  /**
   * Changes a message by the gateway's answer, then by each receipt parked for the external id it now has, and
   * returns its view.
   */
  settle(id: number, change: (message: Message) => Message, receive: Receive): Promise<Json>
  /** Applies a receipt to the message of that gateway and external id, or parks it. Tells whether one matched. */
  receive(gatewayId: number, receipt: Receipt, receive: Receive): Promise<boolean>
  /** Changes every queued message whose deadline has passed; returns how many. */
  expire(now: Timestamp, change: (message: Message) => Message): Promise<number>
  /** Forgets receipts parked before that moment; returns how many. */
  forgetParked(before: Timestamp): Promise<number>
}

export type Receive = (message: Message, receipt: Receipt) => Message

export interface Account {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly role: Role
}

export const ROLES = ['admin', 'manager', 'supervisor'] as const
export type Role = (typeof ROLES)[number]

export interface Credentials extends Account {
  readonly passwordHash: string
  readonly disabled: boolean
}

export interface Accounts {
  count(): Promise<number>
  /** By e-mail in any case; null when there is none. */
  findByEmail(email: string): Promise<Credentials | null>
  list(): Promise<(Account & { readonly disabled: boolean; readonly createdAt: Timestamp })[]>
  /** Throws `conflict` when the e-mail is taken. */
  create(account: Omit<Account, 'id'> & { readonly passwordHash: string }): Promise<Account>
  /** Changes an account; a new password or disabling it ends its sessions. Throws `not_found`, `conflict`. */
  change(id: number, change: { passwordHash?: string; role?: Role; disabled?: boolean }): Promise<void>
  /** Deletes an account and its sessions. Throws `not_found`. */
  remove(id: number): Promise<void>
}

export interface Session {
  readonly account: Account
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
}

/** Signed-in sessions, known by the SHA-256 of their token (hexadecimal). */
export interface Sessions {
  open(tokenHash: string, accountId: number, createdAt: Timestamp, expiresAt: Timestamp): Promise<void>
  /** The session with an enabled account, whether expired or not; null when there is none. */
  find(tokenHash: string): Promise<Session | null>
  /** Puts the end of a session off; a session that is gone stays gone. */
  extend(tokenHash: string, expiresAt: Timestamp): Promise<void>
  /** Ends a session; nothing happens when there is none. */
  end(tokenHash: string): Promise<void>
  /** Ends the sessions of one account, or of all; returns how many. */
  endAll(accountId?: number): Promise<number>
  forgetExpired(now: Timestamp): Promise<number>
  list(): Promise<(Session & { readonly id: string })[]>
}

export interface Clock {
  /** Now, true to the microsecond and never the same twice running backwards. */
  now(): Timestamp
}

export interface Ids {
  uuid(): string
}

export interface Passwords {
  /** Throws `busy` when too many wait. */
  hash(password: string): Promise<string>
  /** Takes the same time for no hash (null, always false) as for a wrong password. Throws `busy`. */
  verify(hash: string | null, password: string): Promise<boolean>
}

/** What came of handing a message to a gateway; a failure is a value, since the API answers it with a 200. */
export type GatewayReply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly exception: string }

export interface SmsGatewayClient {
  /** Posts the submission once, within the time-out. Never throws. */
  submit(submission: Submission): Promise<GatewayReply>
}

/** What a bulk change did with one row. */
export type RowOutcome = 'created' | 'updated' | 'skipped' | FieldErrors

export type ImportMode = 'insert' | 'upsert' | 'skip'

/** How far an import has come, kept with what it stored. `file` identifies the input, `mark` is the importer's own. */
export interface ImportPlace {
  readonly file: string
  readonly mark: string
}

/** Many records at once. */
export interface Bulk {
  /**
   * Stores rows of one resource in one transaction, each under the rules of `Records.insert`: insert makes a new
   * record; upsert changes the one with the same natural key, where there is one; skip leaves that one alone. A row
   * that breaks a rule is reported and leaves nothing behind. With `atomic`, one such row undoes all of them; with
   * `dryRun`, all of them are undone in any case. `place` is stored with the rows.
   */
  store(
    resource: Resource,
    rows: readonly Row[],
    options: { readonly mode: ImportMode; readonly atomic: boolean; readonly dryRun: boolean; readonly place?: ImportPlace },
  ): Promise<RowOutcome[]>
  /** The place stored last for this file and resource; null when none is. */
  place(resource: Resource, file: string): Promise<string | null>
  forgetPlace(resource: Resource, file: string): Promise<void>
}

export interface Statistics {
  readonly path: string
  readonly bytes: number
  readonly logBytes: number
  readonly schema: number
  /** By resource name. */
  readonly counts: Readonly<Record<string, number>>
  /** When a record of that resource was last made or changed; null without any. */
  readonly lastWrites: Readonly<Record<string, Timestamp | null>>
}

/** The upkeep of the database as a whole. */
export interface Maintenance {
  statistics(): Promise<Statistics>
  /** A verified copy at that path, made in one step while others write. Throws `conflict` when something is there. */
  backup(to: string): Promise<{ readonly bytes: number }>
  /** What the integrity checks find; empty when all is well. */
  check(): Promise<string[]>
}
