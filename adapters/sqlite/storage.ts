import { type Actor, ITSELF } from '../../core/audit.ts'
import type { Accounts, Sessions } from '../../core/ports/accounts.ts'
import type { Audit } from '../../core/ports/audit.ts'
import type { Bulk } from '../../core/ports/bulk.ts'
import type { Calls } from '../../core/ports/calls.ts'
import type { Decks } from '../../core/ports/decks.ts'
import type { Messages } from '../../core/ports/messaging/messages.ts'
import type { SmsReports } from '../../core/ports/messaging/sms-reports.ts'
import type { Notices } from '../../core/ports/notices.ts'
import type { PrefixRoutes } from '../../core/ports/prefix-routes.ts'
import type { Records } from '../../core/ports/records.ts'
import type { ServerKeys } from '../../core/ports/server-keys.ts'
import type { LimitUsage, RatedPrefixes, SwitchChanges, SwitchDirectory } from '../../core/ports/switching.ts'
import type { Clock, Maintenance } from '../../core/ports/system.ts'
import type { Gauges, Heartbeat, Retention, SearchIndexing } from '../../core/ports/upkeep.ts'
import { bulk } from './bulk/bulk.ts'
import { calls } from './calls/calls.ts'
import { decks } from './calls/decks.ts'
import { removeDrafts } from './database/copies.ts'
import { type Connection, makeFolder, type OpenOptions, openDatabase } from './database/database.ts'
import { translating } from './database/errors.ts'
import { claimServing, servedAlready } from './database/serving.ts'
import { createWriter, type Writer, type WriterEvents } from './database/writer.ts'
import { RecordSteps } from './records/record-steps.ts'
import { records } from './records/records.ts'
import { searchIndexing } from './records/search/indexing.ts'
import { ensureSearchIndexes } from './records/search/search-index.ts'
import { accounts } from './service/accounts.ts'
import { audit, auditTrail } from './service/audit.ts'
import { gauges } from './service/gauges.ts'
import { heartbeat } from './service/heartbeat.ts'
import { maintenance } from './service/maintenance.ts'
import { messages } from './service/messages.ts'
import { notices } from './service/notices.ts'
import { prefixRoutes, ROUTE_TABLES } from './service/prefix-routes.ts'
import { retention } from './service/retention.ts'
import { serverKeys } from './service/server-keys.ts'
import { sessions } from './service/sessions.ts'
import { smsReports } from './service/sms-reports.ts'
import { limitUsage } from './switching/limit-usage.ts'
import { ratedPrefixes } from './switching/rated-prefixes.ts'
import { switchChanges } from './switching/switch-changes.ts'
import { switchDirectory } from './switching/switch-directory.ts'

export type Claim = NonNullable<ReturnType<typeof claimServing>>

/** What the programs do with a database file besides opening it. */
export const databaseFile = {
  claim: claimServing,
  claimedAlready: servedAlready,
  restore: async (from: string, to: string) => (await import('./database/restore.ts')).restore(from, to),
  makeFolder,
  removeDrafts,
}

/** The ports that one SQLite file serves, and its upkeep. */
export interface Storage {
  readonly records: Records
  readonly messages: Messages
  readonly smsRoutes: PrefixRoutes
  readonly trunkRoutes: PrefixRoutes
  readonly smsReports: SmsReports
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly maintenance: Maintenance
  readonly calls: Calls
  readonly audit: Audit
  readonly bulk: Bulk
  readonly decks: Decks
  readonly retention: Retention
  readonly heartbeat: Heartbeat
  readonly indexing: SearchIndexing
  readonly gauges: Gauges
  readonly serverKeys: ServerKeys
  readonly notices: Notices
  readonly limitUsage: LimitUsage
  readonly ratedPrefixes: RatedPrefixes
  /** Returns a new one, which follows changes independently. */
  switchChanges(): SwitchChanges
  /** Returns a new one, which keeps what it reads while it is used. */
  switchDirectory(): SwitchDirectory
  readonly connection: Connection
  readonly writer: Writer
  /** Waits for pending writes, checkpoints the log into the file and closes it. */
  close(): Promise<void>
}

export interface StorageOptions extends OpenOptions, WriterEvents {
  readonly clock: Clock
  /** false: leaves the log to those who still have the database open, so that a dry run changes no byte. */
  readonly foldsLog?: boolean
  /** The actor of changes that no account made. */
  readonly actor?: Actor
}

export function openStorage(path: string, options: StorageOptions): Storage {
  const { clock } = options
  const connection = openDatabase(path, options, ensureSearchIndexes)
  const writer = createWriter(connection, options)
  const steps = new RecordSteps(connection, clock)
  const trail = auditTrail(connection, clock, options.actor ?? ITSELF)
  const foundation = { connection, writer, clock, trail }
  const signedIn = sessions(connection, writer, trail)
  const ofCalls = {
    calls: translating(calls(foundation)),
    limitUsage: translating(limitUsage(connection, clock)),
  }
  return {
    records: translating(records(connection, writer, steps, trail)),
    messages: translating(messages(foundation, steps)),
    smsRoutes: translating(prefixRoutes(connection, writer, trail, ROUTE_TABLES.smsRoutes)),
    trunkRoutes: translating(prefixRoutes(connection, writer, trail, ROUTE_TABLES.trunkRoutes)),
    smsReports: translating(smsReports(connection)),
    accounts: translating(accounts(foundation, signedIn.forgetRemembered)),
    sessions: translating(signedIn),
    maintenance: translating(maintenance(connection)),
    calls: ofCalls.calls,
    audit: translating(audit(connection, writer, trail)),
    bulk: translating(bulk(foundation)),
    decks: translating(decks(foundation)),
    retention: retention(connection, writer),
    heartbeat: heartbeat(connection, writer, clock),
    indexing: searchIndexing(connection, writer),
    gauges: gauges(connection),
    serverKeys: translating(serverKeys(connection, writer)),
    notices: translating(notices(connection, writer, clock)),
    ratedPrefixes: translating(ratedPrefixes(connection)),
    limitUsage: ofCalls.limitUsage,
    switchChanges: () => translating(switchChanges(connection)),
    switchDirectory: () => translating(switchDirectory(connection, { ...ofCalls, clock })),
    connection,
    writer,
    close: async () => {
      await writer.drained()
      try {
        if (options.foldsLog !== false) connection.db.pragma('wal_checkpoint(TRUNCATE)')
      } catch {
        // Nothing is lost: a log that does not fit on a full disk is read at the next start.
      } finally {
        connection.close()
      }
    },
  }
}
