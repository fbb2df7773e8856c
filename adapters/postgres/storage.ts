import { type Actor, ITSELF } from '../../core/audit.ts'
import { AppError } from '../../core/errors.ts'
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
import { connect, type Database } from './database/database.ts'
import { translate, translating } from './database/errors.ts'
import { assertKnown, migrate, migrations, schemaVersion } from './database/migrate.ts'
import { sql } from './database/sql.ts'
import { records } from './records/records.ts'
import { accounts } from './service/accounts.ts'
import { audit, auditTrail } from './service/audit.ts'
import { maintenance } from './service/maintenance.ts'
import { messages } from './service/messages.ts'
import { prefixRoutes, ROUTE_TABLES } from './service/prefix-routes.ts'
import { retention } from './service/retention.ts'
import { sessions } from './service/sessions.ts'
import { gauges, heartbeat, notices, searchIndexing, serverKeys } from './service/small-ports.ts'
import { smsReports } from './service/sms-reports.ts'
import { limitUsage } from './switching/limit-usage.ts'
import { ratedPrefixes } from './switching/rated-prefixes.ts'
import { switchChanges } from './switching/switch-changes.ts'
import { switchDirectory } from './switching/switch-directory.ts'

/** The ports that a PostgreSQL database serves so far. */
export interface Storage {
  readonly records: Records
  readonly messages: Messages
  readonly bulk: Bulk
  readonly calls: Calls
  readonly decks: Decks
  readonly smsRoutes: PrefixRoutes
  readonly trunkRoutes: PrefixRoutes
  readonly smsReports: SmsReports
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly retention: Retention
  readonly heartbeat: Heartbeat
  readonly indexing: SearchIndexing
  readonly gauges: Gauges
  readonly serverKeys: ServerKeys
  readonly notices: Notices
  readonly maintenance: Maintenance
  readonly limitUsage: LimitUsage
  readonly ratedPrefixes: RatedPrefixes
  /** Each one follows the changes independently. */
  switchChanges(): SwitchChanges
  /** Creates a directory, which caches what it reads while in use. */
  switchDirectory(): SwitchDirectory
  readonly audit: Audit
  readonly database: Database
  close(): Promise<void>
}

export interface StorageOptions {
  readonly clock: Clock
  /** May it create the schema, or upgrade an older one? Otherwise opening throws `outdated`. */
  readonly migrate?: boolean
  /** Refuse a server that may lose acknowledged writes; true by default. */
  readonly isDurable?: boolean
  /** The actor of changes without an account. */
  readonly actor?: Actor
}

/** Opens a database of PostgreSQL 15 or newer. Throws `unavailable`, `configuration`, `outdated`, `corrupt`. */
export async function openStorage(address: string, options: StorageOptions): Promise<Storage> {
  const database = connect(address)
  try {
    await assertFit(database, options.isDurable ?? true)
    await bringUpToDate(database, options.migrate ?? false)
  } catch (error) {
    await database.close()
    throw translate(error)
  }
  const { clock } = options
  const trail = auditTrail(clock, options.actor ?? ITSELF)
  const ofCalls = {
    calls: translating(calls(database, clock, trail)),
    limitUsage: translating(limitUsage(database, clock)),
  }
  return {
    records: translating(records(database, clock, trail)),
    calls: ofCalls.calls,
    bulk: bulk(database, clock, trail),
    decks: translating(decks(database, clock, trail)),
    messages: translating(messages(database, clock, trail)),
    smsRoutes: translating(prefixRoutes(database, trail, ROUTE_TABLES.smsRoutes)),
    trunkRoutes: translating(prefixRoutes(database, trail, ROUTE_TABLES.trunkRoutes)),
    smsReports: translating(smsReports(database)),
    accounts: translating(accounts(database, clock, trail)),
    sessions: translating(sessions(database, trail)),
    audit: translating(audit(database, trail)),
    retention: translating(retention(database)),
    heartbeat: translating(heartbeat(database, clock)),
    indexing: searchIndexing(),
    gauges: translating(gauges(database)),
    serverKeys: translating(serverKeys(database)),
    notices: translating(notices(database, clock)),
    maintenance: translating(maintenance(database, address)),
    limitUsage: ofCalls.limitUsage,
    ratedPrefixes: translating(ratedPrefixes(database)),
    switchChanges: () => translating(switchChanges(database)),
    switchDirectory: () => translating(switchDirectory(database, { ...ofCalls, clock })),
    database,
    close: () => database.close(),
  }
}

const OLDEST = 150_000

async function assertFit(database: Database, isDurable: boolean): Promise<void> {
  const refuse = (reason: string, hint: string): never => {
    throw new AppError('configuration', reason, { hint })
  }
  const setting = async (name: string): Promise<string> =>
    (await database.value<string>(sql`SELECT current_setting(${name})`)) ?? ''
  if (Number(await setting('server_version_num')) < OLDEST)
    refuse('The database server is older than PostgreSQL 15.', 'upgrade the server')
  if ((await setting('server_encoding')) !== 'UTF8')
    refuse('The database is not encoded in UTF8.', `CREATE DATABASE trunkline ENCODING 'UTF8' TEMPLATE template0`)
  if (isDurable && (await setting('fsync')) !== 'on')
    refuse('The database server has fsync off, so it may lose what it has acknowledged.', 'set fsync = on')
}

async function bringUpToDate(database: Database, mayMigrate: boolean): Promise<void> {
  const version = await schemaVersion(database)
  assertKnown(version)
  if (version === migrations.length) return
  if (!mayMigrate)
    throw new AppError('outdated', 'The database has no schema of Trunkline yet, or an older one.', {
      hint: 'trunkline db migrate',
    })
  await migrate(database)
}
