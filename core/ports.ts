import type { Actor, AuditAction, AuditEntry } from './audit.ts'
import type { Timestamp } from './dates.ts'
import type { FieldErrors } from './errors.ts'
import type { CompletedCall, SourceFormat } from './rating/completed-call.ts'
import type { Period } from './rating/period.ts'
import type { Catalog, FeedRules } from './rating/record-call.ts'
import type { Value } from './resources/field.ts'
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

/**
 * The stored records of every declared resource. Changes are noted in the audit trail as made `by` somebody, or by the
 * program itself.
 */
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
  insert(resource: Resource, values: Row, by?: Actor): Promise<Json>
  /** Changes the named fields and returns the plain view. Throws `not_found`, `invalid`. */
  update(resource: Resource, id: number, values: Row, by?: Actor): Promise<Json>
  /**
   * Deletes a record. Throws `not_found`, and `conflict` with the dependants' counts when others restrict it, unless
   * `cascade` deletes them too.
   */
  remove(resource: Resource, id: number, options: { readonly cascade: boolean }, by?: Actor): Promise<void>
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
  /** Throws `invalid_credentials` when the account is disabled or gone. */
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

/** What becomes of a row whose natural key a stored record has: refused, changes that record, or left out. */
export type ImportMode = 'insert' | 'upsert' | 'skip'

/** How far an import has come. `input` tells one input from another, `mark` is the importer's own. */
export interface ImportPlace {
  readonly input: string
  readonly mark: string
}

export interface BulkPlan {
  readonly resource: Resource
  /** The fields that each record holds, in this order. What is in neither these nor `constants` takes its default. */
  readonly columns: readonly string[]
  /** What all records have in common. */
  readonly constants: Row
  /** May values be undefined? That is the default in a new record, and leaves a stored one as it is. */
  readonly isSparse: boolean
  readonly mode: ImportMode
  /** What one rejected row means for the others of its transaction. */
  readonly onRejection: 'store nothing' | 'leave it out'
  /** Keeps new records whose natural key another has too, where the rules of the API allow that. */
  readonly allowDuplicates: boolean
}

/** A record on its way in. */
export interface BulkRecord {
  /** Numbers the rows of the input, upwards. Records of the same row stand or fall together. */
  readonly row: number
  /** The line where that row starts. */
  readonly line: number
  /** The row as it came, handed back when it is rejected. */
  readonly raw: string | null
  /** Checked values, in the order of the plan's columns. */
  readonly values: readonly (Value | undefined)[]
}

export interface Rejection {
  readonly row: number
  readonly line: number
  readonly raw: string | null
  readonly errors: FieldErrors
}

/** `rejected` counts rows, the others records. */
export interface BulkCounts {
  readonly created: number
  readonly updated: number
  readonly skipped: number
  readonly rejected: number
}

/** The place to keep with a batch, asked for when it is known what becomes of it, once or twice. */
export type PlaceOf = (counts: BulkCounts, rejections: readonly Rejection[]) => ImportPlace | Promise<ImportPlace>

/**
 * Records of one resource that are gathered outside the database and stored in one transaction, under the rules of
 * `Records.insert` and the plan.
 */
export interface BulkLoad {
  /** How many records to add at a time. Where they are stored in batches: few while others write as well. */
  readonly batchSize: number
  add(records: readonly BulkRecord[]): Promise<void>
  /** Tells what would become of all that was added, and writes nothing. */
  check(): Promise<BulkCounts>
  /**
   * Stores what was added since the last call. The place is kept with it, for resources without a natural key; not
   * when a rejection keeps all of it out.
   */
  store(place: PlaceOf): Promise<BulkCounts>
  /** What the last `check` or `store` rejected, in order. */
  rejections(): AsyncIterable<Rejection>
  /** Forgets what was added and not stored. */
  close(): Promise<void>
}

/** Many records at once. */
export interface Bulk {
  load(plan: BulkPlan): BulkLoad
  /** The places stored for that resource. */
  places(resource: Resource): Promise<readonly ImportPlace[]>
  /**
   * All records in the order they were made, secrets included, some hundred at a time: the values of `fields`, and
   * for a reference what `referenceName` makes of the record it points to.
   */
  dump(
    resource: Resource,
    fields: readonly string[],
    where: Readonly<Record<string, number>>,
  ): AsyncIterable<readonly (readonly (string | number | null)[])[]>
}

export interface Statistics {
  readonly path: string
  readonly bytes: number
  readonly logBytes: number
  readonly schema: number
  /** By resource name. */
  readonly counts: Readonly<Record<string, number>>
  /**
   * When a record of that resource was last made, changed or deleted, as its newest record and the audit trail tell:
   * neither receipts for older messages nor what goes with a deleted record count. null when they tell nothing.
   */
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

/** One record of a switch, read or not. */
export type SwitchRecord =
  | { readonly call: CompletedCall }
  | { readonly format: SourceFormat; readonly raw: string; readonly reason: string }

/** How far a feed was read: the file, by its inode and what it begins with, and the byte after the last record stored. */
export interface FeedPlace {
  readonly inode: string
  readonly position: number
}

export interface Feed {
  /** What its place is kept under: the path as it was given. */
  readonly name: string
  readonly rules: FeedRules
}

/** What became of the records of one batch. */
export interface IngestCounts {
  readonly stored: number
  /** Had been stored before. */
  readonly known: number
  readonly quarantined: number
  /** Legs of calls that have a record of their own. */
  readonly legs: number
  /** Of those stored: outgoing, answered, and no rate for them. */
  readonly unrated: number
}

export interface Quarantined {
  readonly id: number
  readonly feed: string
  readonly format: SourceFormat
  readonly rules: FeedRules
  readonly record: string
  readonly reason: string
  /** How often it was delivered. */
  readonly seen: number
  readonly created_at: Timestamp
}

export interface RerateQuery extends Period {
  readonly tenantId: number
  /** Only calls that no rate was found for. */
  readonly unratedOnly: boolean
}

/** A call whose rating comes out otherwise than it is stored. Amounts in units of 0.0001. */
export interface Rerated {
  readonly id: number
  readonly destination_number: string
  readonly started_at: Timestamp
  readonly old: { readonly cost: number; readonly billSeconds: number; readonly prefix: string | null }
  readonly new: { readonly cost: number; readonly billSeconds: number; readonly prefix: string | null }
}

export interface RerateResult {
  readonly examined: number
  readonly changed: number
  readonly oldCost: number
  readonly newCost: number
  readonly stillUnrated: number
  /** The first so many of those that change. */
  readonly changes: readonly Rerated[]
}

export const USAGE_GROUPS = ['day', 'destination', 'extension', 'direction'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

export interface UsageLine {
  /** The day, destination, extension number or direction; null for the whole. */
  readonly group: string | null
  readonly calls: number
  readonly answered: number
  readonly seconds: number
  readonly bill_seconds: number
  /** Units of 0.0001. */
  readonly cost: number
  readonly unrated: number
}

/** Calls that switches hand over, their rating, and what is told of them. */
export interface Calls {
  /** How many records to store at a time, for one who does nothing else meanwhile: few while others write as well. */
  batchSize(): number
  /**
   * Rates and stores a batch and the place reached, in one transaction. A call that is there already (the same switch
   * and call id, whichever way it came) is not stored again; what cannot be used goes to quarantine.
   */
  store(feed: Feed, records: readonly SwitchRecord[], place: FeedPlace | null): Promise<IngestCounts>
  place(feed: string): Promise<FeedPlace | null>
  quarantine(): AsyncIterable<Quarantined>
  quarantineCount(): Promise<number>
  /** Takes a record out of quarantine, its cause mended; false when it cannot be used yet, with the present reason kept. */
  replay(quarantined: Quarantined, record: SwitchRecord): Promise<boolean>
  /** What the tenant's calls are rated by at this moment. */
  catalog(tenantId: number): Promise<Catalog>
  /** Rates stored calls anew by the present rates; unless `dryRun`, stores the outcome and keeps what was. */
  rerate(query: RerateQuery, options: { readonly dryRun: boolean; readonly sample: number }): Promise<RerateResult>
  /** Ids of the rates that calls of the period were rated by. */
  usedRates(tenantId: number, period: Period): Promise<ReadonlySet<number>>
  /** Destinations of the period's unrated calls and how many went there, the most first. */
  unratedDestinations(
    tenantId: number,
    period: Period,
  ): Promise<readonly { readonly number: string; readonly calls: number }[]>
  usage(
    tenantId: number,
    days: readonly ({ readonly day: string } & Period)[],
    by: UsageGroup | null,
  ): Promise<UsageLine[]>
}

export interface AuditFilter extends Period {
  readonly actor?: string
  readonly action?: AuditAction
  readonly resource?: string
  readonly recordId?: number
}

export interface Audit {
  /** The changes that fit, the latest first. */
  list(filter: AuditFilter): AsyncIterable<AuditEntry>
}
