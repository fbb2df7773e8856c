import type { Timestamp } from '../../../core/dates.ts'
import { AppError } from '../../../core/errors.ts'
import { resources } from '../../../core/resources/all.ts'
import { postgresMigrations } from '../../sql/migrations.ts'
import { makePartitions, monthsAhead, partitionCalls } from '../calls/call-months.ts'
import { indexSearched } from '../records/search-index.ts'
import type { Database } from './database.ts'
import { initial } from './migrations/001-initial.ts'
import { trunkSecurity } from './migrations/002-trunk-security.ts'
import { loginCounts } from './migrations/003-login-counts.ts'
import { callReferences } from './migrations/004-call-references.ts'
import type { Queries } from './queries.ts'
import { raw, sql } from './sql.ts'

/**
 * In order; the schema version of a database is the number of migrations applied to it. New ones are those of both
 * storages, in `adapters/sql`.
 */
export const migrations: readonly string[] = [
  initial,
  trunkSecurity,
  loginCounts,
  callReferences,
  ...postgresMigrations(),
]

/** "Trnk" in ASCII. Programs that create or upgrade the database wait for one another on this lock. */
export const LOCK = 0x54726e6b

const VERSION = sql`SELECT version FROM schema_version`

/** 0 for a new database. */
export async function schemaVersion(queries: Queries): Promise<number> {
  const isThere = await queries.value<boolean>(sql`SELECT to_regclass('schema_version') IS NOT NULL`)
  return isThere ? ((await queries.value<number>(VERSION)) ?? 0) : 0
}

/** Throws `corrupt` for the database of a newer Trunkline. */
export function assertKnown(version: number, steps: readonly string[] = migrations): void {
  if (version > steps.length)
    throw new AppError(
      'corrupt',
      `The database was made by a newer Trunkline (schema ${version}; this one knows ${steps.length}); install that.`,
    )
}

/** Throws `outdated` for a database without our schema, or with an older one. */
export function assertPresent(version: number): void {
  assertKnown(version)
  if (version < migrations.length)
    throw new AppError('outdated', 'The database has no schema of Trunkline yet, or an older one.', {
      hint: 'trunkline db migrate',
    })
}

/** Brings the schema up to date, all or nothing, one program at a time. */
export const migrate = (database: Database, making: Making = {}): Promise<void> =>
  database.write(async within => {
    await createTables(within, making)
    await createSearchIndexes(within)
  })

interface Making {
  readonly steps?: readonly string[]
  /** When a new database keeps its calls by month, the present moment. */
  readonly partitionsCallsAt?: Timestamp | null
}

/** The first part of a migration. */
export async function createTables(
  within: Queries,
  { steps = migrations, partitionsCallsAt = null }: Making = {},
): Promise<void> {
  await within.run(sql`SELECT pg_advisory_xact_lock(${LOCK})`)
  await within.run(raw('SET LOCAL statement_timeout = 0'))
  await within.run(raw('CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)'))
  const done = (await within.value<number>(VERSION)) ?? 0
  assertKnown(done, steps)
  for (const step of steps.slice(done)) await within.script(step)
  if (done === 0 && !within.spread && partitionsCallsAt !== null) {
    await partitionCalls(within)
    await makePartitions(within, monthsAhead(partitionsCallsAt), partitionsCallsAt)
  }
  if (done === 0 && within.spread) await within.script(within.spread.creation)
  await within.run(raw('DELETE FROM schema_version'))
  await within.run(sql`INSERT INTO schema_version VALUES (${steps.length})`)
}

/** The second part: indexes of tables that are filled already are smaller, and built faster. */
export async function createSearchIndexes(within: Queries): Promise<void> {
  for (const resource of resources.filter(({ search }) => search.length > 0)) await indexSearched(within, resource)
}
