import { AppError } from '../../../core/errors.ts'
import type {
  CopiedRows,
  CopiedTable,
  CopiedValue,
  CopySource,
  CopyTarget,
  DatabaseContents,
  DatabaseFilling,
} from '../../../core/ports/storage.ts'
import type { Spread } from '../../sql/spread.ts'
import { TABLES } from '../../sql/tables.ts'
import { isByMonth, makePartitions } from '../calls/call-months.ts'
import { isSpread } from '../calls/spread.ts'
import { connect, type Loading, type Session } from './database.ts'
import { isNoText, translate } from './errors.ts'
import { assertFit } from './fit.ts'
import { assertPresent, createSearchIndexes, createTables, schemaVersion } from './migrate.ts'
import { raw, sql } from './sql.ts'

const AT_ONCE = 1_000

/** Opens the database of that address to be copied elsewhere. */
export const copySource = (address: string, spread: Spread | null = null): CopySource => ({
  asOfNow: read =>
    inSession(address, spread, session =>
      session.snapshot(async within => {
        assertPresent(await schemaVersion(within))
        return read(contents(within))
      }),
    ),
})

/** Ids lead to nodes, and those of calls from elsewhere would not. */
export const noCopyTo = ({ name }: Spread): AppError =>
  new AppError('configuration', `Calls get new ids on ${name}, so no database can be copied there.`, {
    hint: 'trunkline init, then import what trunkline export has written',
  })

/** Opens the database of that address to be filled. */
export const copyTarget = (address: string, { callsByMonth = false } = {}): CopyTarget => ({
  fill: work =>
    inSession(address, null, async session => {
      const result = await session.write(async within => {
        await assertEmpty(within)
        const now = new Date().toISOString()
        await createTables(within, { partitionsCallsAt: callsByMonth ? now : null })
        const done = await work(filling(within))
        await createSearchIndexes(within)
        return done
      })
      // Without statistics, the first plans would be bad.
      await session.script('VACUUM ANALYZE')
      return result
    }),
})

async function inSession<T>(
  address: string,
  spread: Spread | null,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const database = connect(address, spread)
  const session = database.session()
  try {
    await assertFit(database, address)
    return await work(session)
  } catch (error) {
    throw translate(error)
  } finally {
    await session.close()
    await database.close()
  }
}

async function assertEmpty(within: Loading): Promise<void> {
  if ((await schemaVersion(within)) === 0) return
  for (const table of TABLES)
    if (await within.value<boolean>(sql`SELECT to_regclass(${table}) IS NOT NULL`))
      if (await within.value<boolean>(raw(`SELECT EXISTS (SELECT 1 FROM ${table})`)))
        throw new AppError('conflict', `The database is not empty: there are ${table}.`)
}

interface ColumnRow {
  readonly name: string
  readonly column: string
  readonly isBytes: boolean
}

const columnsOf = (within: Loading): Promise<ColumnRow[]> =>
  within.rows<ColumnRow>(
    sql`SELECT table_name::text AS name, column_name::text AS column, data_type = 'bytea' AS "isBytes"
      FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ANY(${TABLES}) AND (${!within.spread} OR column_name <> 'bucket')
      ORDER BY ordinal_position`,
  )

function contents(within: Loading): DatabaseContents {
  const buckets = within.spread?.buckets ?? 1
  return {
    tables: async () => {
      const columns = await columnsOf(within)
      return TABLES.map(name => ({
        name,
        columns: columns.filter(each => each.name === name).map(each => each.column),
      }))
    },
    count: async ({ name }) => (await within.value<number>(raw(`SELECT count(*) FROM ${name}`))) ?? 0,
    rows: async function* ({ name, columns }): CopiedRows {
      for await (const rows of within.cursor(raw(`SELECT ${columns.join()} FROM ${name}`), AT_ONCE))
        yield rows.map(row => row.map(copiedValue))
    },
    lastIds: async () =>
      new Map(
        (
          await within.rows<{ name: string; last: number | null }>(
            sql`SELECT t.name, s.last_value AS last FROM unnest(${TABLES}::text[]) AS t(name)
              JOIN pg_sequences s ON s.schemaname = current_schema() AND s.sequencename = t.name || '_id_seq'`,
          )
        ).map(({ name, last }) => [name, (last ?? 0) * (isSpread(within, name) ? buckets + 1 : 1)]),
      ),
  }
}

/** What the driver makes of a value, as both storages pass it on. */
function copiedValue(value: unknown): CopiedValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  if (Buffer.isBuffer(value)) return value.toString()
  throw new AppError('internal', 'A column is of a type that cannot be copied.')
}

function filling(within: Loading): DatabaseFilling {
  return {
    ...contents(within),
    store: async (table, rows) => {
      await within.script(`DELETE FROM ${table.name}`)
      const bytes = (await columnsOf(within)).filter(({ name, isBytes }) => isBytes && name === table.name)
      const areBytes = new Set(bytes.map(({ column }) => column))
      const parts = table.name === 'cdrs' && (await isByMonth(within)) ? prepared(within, table, rows) : [rows]
      try {
        for await (const part of parts) await within.copy(table.name, table.columns, written(table, part, areBytes))
      } catch (error) {
        throw isNoText(error) ? noText(table, error) : error
      }
    },
    continueAfter: async lastIds => {
      for (const [name, last] of lastIds)
        await within.run(sql`SELECT setval(s.name, greatest(${last}, t.last, 1), greatest(${last}, t.last) > 0)
          FROM (SELECT pg_get_serial_sequence(${name}, 'id')::regclass AS name) s,
            (SELECT coalesce(max(id), 0) AS last FROM ${raw(name)}) t WHERE s.name IS NOT NULL`)
    },
  }
}

/** Calls stored at once, if they are kept by month. */
const CALLS_AT_ONCE = 50_000

/** Yields the calls again, some at a time, once there are partitions for their months. */
async function* prepared(within: Loading, { columns }: CopiedTable, all: CopiedRows): AsyncIterable<Some> {
  const start = columns.indexOf('started_at')
  const now = new Date().toISOString()
  const some = async (waiting: CopiedValue[][]): Promise<Some> => {
    const months = waiting.map(row => String(row[start]).slice(0, 7))
    await makePartitions(within, new Set(months), now)
    return [waiting]
  }
  let waiting: CopiedValue[][] = []
  for await (const rows of all) {
    for (const row of rows) waiting.push([...row])
    if (waiting.length < CALLS_AT_ONCE) continue
    yield await some(waiting)
    waiting = []
  }
  if (waiting.length > 0) yield await some(waiting)
}

type Some = Iterable<readonly (readonly CopiedValue[])[]>

async function* written({ columns }: CopiedTable, all: CopiedRows | Some, bytes: ReadonlySet<string>) {
  const areBytes = columns.map(column => bytes.has(column))
  for await (const rows of all)
    for (const row of rows)
      yield bytes.size === 0
        ? row
        : row.map((value, index) => (areBytes[index] && typeof value === 'string' ? Buffer.from(value) : value))
}

const noText = ({ name }: CopiedTable, cause: unknown): AppError =>
  new AppError(
    'conflict',
    `A text among the ${name} holds the character U+0000, which PostgreSQL cannot store; change it first.`,
    { cause },
  )
