import type { Readable, Writable } from 'node:stream'
import type { RoleMode } from '../../core/access/modes.ts'
import type { SourceFormat } from '../../core/calls/completed-call.ts'
import type { Audit } from '../../core/ports/audit.ts'
import type { Bulk } from '../../core/ports/bulk.ts'
import type { Calls, Ingest, IngestCounts, SwitchRecord } from '../../core/ports/calls.ts'
import type { Decks } from '../../core/ports/decks.ts'
import type { Messages } from '../../core/ports/messaging/messages.ts'
import type { Profiles } from '../../core/ports/messaging/profiles.ts'
import type { SmsReports } from '../../core/ports/messaging/sms-reports.ts'
import type { Notices } from '../../core/ports/notices.ts'
import type { SwitchDirectory } from '../../core/ports/switching.ts'
import type { Clock, Maintenance } from '../../core/ports/system.ts'
import type { TextInput } from '../../core/ports/transfer.ts'
import type { AccountKeeping } from '../../core/use-cases/accounts/accounts.ts'
import type { Messaging } from '../../core/use-cases/messaging/messaging.ts'
import type { Administration } from '../../core/use-cases/records/administer.ts'
import type { Lookup } from '../../core/use-cases/records/lookup.ts'
import type { PrefixRouting } from '../../core/use-cases/records/prefix-routing.ts'
import { writeErrors } from './terminal/streams.ts'

/** A program's streams and environment; passed in, so that tests can capture them. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
}

export const OUTPUTS = ['table', 'json', 'ndjson', 'csv'] as const
export type Output = (typeof OUTPUTS)[number]

export interface GlobalOptions {
  readonly db?: string
  readonly config?: string
  readonly output: Output
  readonly fields?: readonly string[]
  readonly quiet: boolean
  readonly verbose: boolean
  /** True if standard output may use colour. */
  readonly color: boolean
  /** True if a person may be asked. */
  readonly interactive: boolean
}

/**
 * The ports of the storage that commands hand to use cases. Only the doctor and the commands of the database itself
 * call them.
 */
export interface StoragePorts {
  readonly audit: Audit
  readonly bulk: Bulk
  readonly calls: Calls
  readonly decks: Decks
  readonly maintenance: Maintenance
  readonly messages: Messages
  readonly notices: Notices
  readonly smsReports: SmsReports
  switchDirectory(): SwitchDirectory
}

/** What commands work with, on one open database. */
export interface Services extends StoragePorts {
  readonly administration: Administration
  readonly messaging: Messaging
  readonly records: Lookup
  readonly smsRoutes: PrefixRouting
  readonly trunkRoutes: PrefixRouting
  readonly profiles: Profiles
  readonly accountKeeping: AccountKeeping
  /** Whether roles limit accounts. */
  readonly roles: RoleMode
  readonly clock: Clock
  /** Stores every call of a file, a folder or a stream, once; see `Calls.store`. */
  ingest(source: string | Readable, ingesting: Ingest): Promise<IngestCounts>
  readRecord(format: SourceFormat, raw: string): SwitchRecord
  /** Reads the beginning of a text, from which an import continues. */
  openText(name: string, stream: Readable, signal?: AbortSignal): Promise<TextInput>
  /** Returns a hash of a text, in hexadecimal. */
  digestOf(text: string): string
}

/** What to do to a database on opening it. */
export interface Opening {
  /** Create a missing one. */
  readonly create?: boolean
  /** Upgrade an older schema. */
  readonly migrate?: boolean
  /** Set if the command will handle many records, so that the storage is opened for that. */
  readonly expectsMany?: boolean
}

/** What a command's action gets. */
export interface Context {
  readonly io: Io
  readonly options: GlobalOptions
  /** The command line as typed. */
  readonly line: readonly string[]
  /** Returns the open database, the same one each time, closed when the command ends. Throws AppError. */
  open(opening?: Opening): Promise<Services>
}

/** Prints lines for a person on standard error; nothing with --quiet. */
export function say({ io, options }: Pick<Context, 'io' | 'options'>, ...lines: readonly string[]): void {
  if (!options.quiet) writeErrors(io, ...lines)
}

/** Warns of a secret among the arguments of a command, and says how else to give it. */
export const warnOfSecret = (context: Pick<Context, 'io' | 'options'>, flag: string, instead: string): void =>
  say(
    context,
    `warning: other users of this system can see the value of ${flag} while the command runs, and shells keep it in their history; ${instead}`,
  )
