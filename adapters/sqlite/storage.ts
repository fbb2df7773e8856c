import { ITSELF } from '../../core/audit.ts'
import type { DatabasePlace, Storage, StorageOptions } from '../../core/ports/storage.ts'
import { ROUTE_TABLES } from '../sql/prefix-routes.ts'
import { bulk } from './bulk/bulk.ts'
import { calls } from './calls/calls.ts'
import { decks } from './calls/decks.ts'
import { removeDrafts } from './database/copy-file.ts'
import { type Connection, isThere, makeFolder, openDatabase } from './database/database.ts'
import { translated, translating } from './database/errors.ts'
import { claimServing, servedAlready } from './database/serving.ts'
import { createWriter, type Writer } from './database/writer.ts'
import { RecordSteps } from './records/record-steps.ts'
import { records } from './records/records.ts'
import { searchIndexing } from './records/search/indexing.ts'
import { ensureSearchIndexes } from './records/search/search-index.ts'
import { accounts } from './service/accounts.ts'
import { audit, auditTrail } from './service/audit.ts'
import { duties } from './service/duties.ts'
import { gauges } from './service/gauges.ts'
import { heartbeat } from './service/heartbeat.ts'
import { loginCounts } from './service/login-counts.ts'
import { maintenance } from './service/maintenance.ts'
import { messages } from './service/messages.ts'
import { notices } from './service/notices.ts'
import { prefixRoutes } from './service/prefix-routes.ts'
import { retention } from './service/retention.ts'
import { serverKeys } from './service/server-keys.ts'
import { sessions } from './service/sessions.ts'
import { smsReports } from './service/sms-reports.ts'
import { limitUsage } from './switching/limit-usage.ts'
import { ratedPrefixes } from './switching/rated-prefixes.ts'
import { switchChanges } from './switching/switch-changes.ts'
import { switchDirectory } from './switching/switch-directory.ts'
import { storedTable, switchTable } from './switching/switch-table.ts'

/** A table that a switch reads by itself. */
export const tableForSwitch = { at: switchTable, stored: storedTable }

/** What the daemon's backups do with files. */
export const databaseFile = { makeFolder, removeDrafts }

/** The database in one SQLite file. */
export const databaseAt = (path: string): DatabasePlace => ({
  name: path,
  file: path,
  isThere: async () => translated(() => isThere(path), path),
  open: async options => openStorage(path, options),
  copySource: async () => (await import('./database/copy-rows.ts')).copySource(path),
  copyTarget: async () => (await import('./database/copy-rows.ts')).copyTarget(path),
  claim: async () => {
    const claim = claimServing(path)
    if (!claim) throw servedAlready(path)
    return claim
  },
  restore: async from => (await import('./database/restore.ts')).restore(from, path),
})

/** A storage with what the tests and tools of this adapter reach into. */
export interface SqliteStorage extends Storage {
  readonly connection: Connection
  readonly writer: Writer
}

export function openStorage(path: string, options: StorageOptions): SqliteStorage {
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
    loginCounts: loginCounts(),
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
    duties,
    jobs: null,
    holdsThread: true,
    isShared: false,
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
