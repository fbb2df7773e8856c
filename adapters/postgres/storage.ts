import { ITSELF } from '../../core/audit.ts'
import { AppError } from '../../core/errors.ts'
import type { JobStore } from '../../core/ports/jobs.ts'
import type { DatabasePlace, Storage, StorageOptions } from '../../core/ports/storage.ts'
import { ROUTE_TABLES } from '../sql/prefix-routes.ts'
import type { Spread } from '../sql/spread.ts'
import { bulk } from './bulk/bulk.ts'
import { calls } from './calls/calls.ts'
import { decks } from './calls/decks.ts'
import { connectFailure } from './database/connect-failure.ts'
import { copySource, copyTarget, noCopyTo } from './database/copy-rows.ts'
import { connect, type Database } from './database/database.ts'
import { noDumps, restore } from './database/dumps.ts'
import { translating } from './database/errors.ts'
import { assertFit } from './database/fit.ts'
import { assertKnown, migrate, migrations, schemaVersion } from './database/migrate.ts'
import { shownAddress, withPasswordFile } from './database/options.ts'
import { duties } from './fleet/duties.ts'
import { claimServing } from './fleet/serving.ts'
import { records } from './records/records.ts'
import { searchIndexing } from './records/search-index.ts'
import { accounts } from './service/accounts.ts'
import { audit, auditTrail } from './service/audit.ts'
import { jobs } from './service/jobs.ts'
import { loginCounts } from './service/login-counts.ts'
import { maintenance } from './service/maintenance.ts'
import { messages } from './service/messages.ts'
import { prefixRoutes } from './service/prefix-routes.ts'
import { retention } from './service/retention.ts'
import { sessions } from './service/sessions.ts'
import { gauges, heartbeat, notices, serverKeys } from './service/small-ports.ts'
import { smsReports } from './service/sms-reports.ts'
import { limitUsage } from './switching/limit-usage.ts'
import { ratedPrefixes } from './switching/rated-prefixes.ts'
import { switchChanges } from './switching/switch-changes.ts'
import { switchDirectory } from './switching/switch-directory.ts'

/** A storage with what the tests and tools of this adapter reach into. */
export interface PostgresStorage extends Storage {
  readonly database: Database
  readonly jobs: JobStore
}

/** How a new database is made. */
interface Made {
  /** Keeps the calls of each month of their start in a table of their own. */
  readonly callsByMonth?: boolean
}

/** The database at an address of PostgreSQL, or of a cluster that spreads calls. */
function databaseAt(address: string, made: Made = {}, spread: Spread | null = null): DatabasePlace {
  return {
    name: shownAddress(address),
    file: null,
    isThere: async () => {
      const database = connect(address, spread)
      try {
        return (await schemaVersion(database)) > 0
      } catch (error) {
        throw connectFailure(address, error)
      } finally {
        await database.close()
      }
    },
    open: options => openStorage(address, { ...options, ...made }, spread),
    copySource: async () => copySource(address, spread),
    copyTarget: async () => {
      if (spread) throw noCopyTo(spread)
      return copyTarget(address, made)
    },
    claim: () => claimServing(address),
    restore: async from => {
      if (spread) throw noDumps(spread)
      return restore(address, from)
    },
  }
}

/** What the programs use of this adapter. */
export const postgres = { databaseAt, withPasswordFile }

/** Opens a database of PostgreSQL 15 or newer. */
export async function openStorage(
  address: string,
  options: StorageOptions & Made,
  spread: Spread | null = null,
): Promise<PostgresStorage> {
  const database = connect(address, spread)
  try {
    await assertFit(database, address)
    await bringUpToDate(database, address, options)
  } catch (error) {
    await database.close()
    throw connectFailure(address, error)
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
    loginCounts: translating(loginCounts(database)),
    audit: translating(audit(database, trail)),
    retention: translating(retention(database)),
    heartbeat: translating(heartbeat(database, clock)),
    indexing: translating(searchIndexing(database)),
    gauges: translating(gauges(database)),
    serverKeys: translating(serverKeys(database)),
    notices: translating(notices(database, clock)),
    maintenance: translating(maintenance(database, address)),
    limitUsage: ofCalls.limitUsage,
    ratedPrefixes: translating(ratedPrefixes(database)),
    switchChanges: () => translating(switchChanges(database)),
    switchDirectory: () => translating(switchDirectory(database, { ...ofCalls, clock })),
    duties: duties(address),
    jobs: translating(jobs(database)),
    holdsThread: false,
    isShared: true,
    database,
    close: () => database.close(),
  }
}

async function bringUpToDate(
  database: Database,
  address: string,
  { create, migrate: mayUpgrade, clock, callsByMonth = false }: StorageOptions & Made,
): Promise<void> {
  const version = await schemaVersion(database)
  assertKnown(version)
  if (version === migrations.length) return
  if (version === 0 && !create)
    throw new AppError('not_found', `There is no database of Trunkline at ${shownAddress(address)}.`, {
      hint: 'trunkline init',
    })
  if (version > 0 && !mayUpgrade)
    throw new AppError('outdated', `${shownAddress(address)} has an older schema.`, { hint: 'trunkline db migrate' })
  await migrate(database, { partitionsCallsAt: callsByMonth ? clock.now() : null })
}
