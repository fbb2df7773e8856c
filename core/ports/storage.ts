import type { Actor } from '../audit.ts'
import type { Accounts, LoginCounts, Sessions } from './accounts.ts'
import type { Audit } from './audit.ts'
import type { Bulk } from './bulk.ts'
import type { Calls } from './calls.ts'
import type { Decks } from './decks.ts'
import type { JobStore } from './jobs.ts'
import type { Messages } from './messaging/messages.ts'
import type { SmsReports } from './messaging/sms-reports.ts'
import type { Notices } from './notices.ts'
import type { PrefixRoutes } from './prefix-routes.ts'
import type { Records } from './records.ts'
import type { ServerKeys } from './server-keys.ts'
import type { LimitUsage, RatedPrefixes, SwitchChanges, SwitchDirectory } from './switching.ts'
import type { Clock, Maintenance } from './system.ts'
import type { Duties, Gauges, Heartbeat, Retention, SearchIndexing } from './upkeep.ts'

/** An open database: the ports that it serves. */
export interface Storage {
  readonly records: Records
  readonly messages: Messages
  readonly smsRoutes: PrefixRoutes
  readonly trunkRoutes: PrefixRoutes
  readonly smsReports: SmsReports
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly loginCounts: LoginCounts
  readonly maintenance: Maintenance
  readonly calls: Calls
  readonly audit: Audit
  readonly bulk: Bulk
  readonly decks: Decks
  readonly retention: Retention
  readonly heartbeat: Heartbeat
  readonly indexing: SearchIndexing
  readonly gauges: Gauges
  readonly duties: Duties
  /** Uploads and jobs of the console; null if they are kept in files, beside the database. */
  readonly jobs: JobStore | null
  readonly serverKeys: ServerKeys
  readonly notices: Notices
  readonly limitUsage: LimitUsage
  readonly ratedPrefixes: RatedPrefixes
  /** Returns a new one, which follows changes independently. */
  switchChanges(): SwitchChanges
  /** Returns a new one, which keeps what it reads while it is used. */
  switchDirectory(): SwitchDirectory
  /** True if its work holds up the thread that calls it, so that long work belongs on a thread of its own. */
  readonly holdsThread: boolean
  /** True if several daemons may serve the database at once. */
  readonly isShared: boolean
  /** Waits for pending writes and closes the database. */
  close(): Promise<void>
}

/** How a database is opened. A storage ignores what it has no use for. */
export interface StorageOptions {
  readonly clock: Clock
  /** Creates a missing database or, on a server, its tables; without it, that is `not_found`. */
  readonly create?: boolean
  /** Upgrades an older schema; without it, that is `outdated`. */
  readonly migrate?: boolean
  /** The actor of changes that no account made. */
  readonly actor?: Actor
  /** For a program that stores many records, whose references it checks itself. */
  readonly storesMany?: boolean
  /** false: leaves the log to those who still have the database open, so that a dry run changes no byte. */
  readonly foldsLog?: boolean
  /** Called before an older schema is upgraded, with the path of the copy made before. */
  readonly onUpgrade?: (upgrade: { readonly schema: number; readonly copy: string }) => void
  /** Called after each commit that gathers changes of several callers. */
  readonly onCommit?: (changes: number, milliseconds: number) => void
}

/** A value as both storages pass it on: booleans as 1 and 0, JSON as text. */
export type CopiedValue = string | number | null

/** Rows with their values in the order of the columns, some hundred at a time. */
export type CopiedRows = AsyncIterable<readonly (readonly CopiedValue[])[]>

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** What a database holds at one moment. */
export interface DatabaseContents {
  /** Returns the tables that are copied, those before others that refer to them. */
  tables(): Promise<readonly CopiedTable[]>
  count(table: CopiedTable): Promise<number>
  /** Yields all rows of a table, in any order. */
  rows(table: CopiedTable): CopiedRows
  /** Returns the highest id ever given, by the table that gives ids. */
  lastIds(): Promise<ReadonlyMap<string, number>>
}

/** A database while it is filled. */
export interface DatabaseFilling extends DatabaseContents {
  /** Stores rows in the place of those that the table has. */
  store(table: CopiedTable, rows: CopiedRows): Promise<void>
  /** Makes every table continue with the id after its last one. */
  continueAfter(lastIds: ReadonlyMap<string, number>): Promise<void>
}

/** A database that can be copied to another storage. */
export interface CopySource {
  /** Makes everything that `read` reads a snapshot of one moment, whatever others write. */
  asOfNow<T>(read: (contents: DatabaseContents) => Promise<T>): Promise<T>
}

/** Where a copy goes. */
export interface CopyTarget {
  /**
   * Creates the schema and has it filled: all of it or nothing, however the work ends. Throws `conflict` if the place
   * is not empty.
   */
  fill<T>(work: (filling: DatabaseFilling) => Promise<T>): Promise<T>
}

/** Held while a program serves a database. */
export interface Claim {
  release(): void | Promise<void>
}

/** Where a database is, open or not. */
export interface DatabasePlace {
  /** The path of its file, or the address of its server without a password. */
  readonly name: string
  /** The path of the file; null if a server keeps the database. */
  readonly file: string | null
  /** Returns whether there is a database of ours. Throws `unavailable`, `configuration`, `cannot_create`. */
  isThere(): Promise<boolean>
  /** Throws `not_found`, `outdated`, `corrupt`, `read_only`, `cannot_create`, `unavailable`, `configuration`. */
  open(options: StorageOptions): Promise<Storage>
  /** Copies from it; throws as `open` does. */
  copySource(): Promise<CopySource>
  /** Copies to it. */
  copyTarget(): Promise<CopyTarget>
  /** Claims to serve it, with others where several may. Throws `busy` while another program has it to itself. */
  claim(): Promise<Claim>
  /**
   * Replaces the database by a backup, without its sessions. Returns where the former one is kept; null if it is not.
   * Throws `conflict` while another program has it open, `corrupt` if the backup is not sound.
   */
  restore(from: string): Promise<{ readonly kept: string | null }>
}
