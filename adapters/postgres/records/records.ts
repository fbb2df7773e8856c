import { type Actor, changesOf } from '../../../core/audit.ts'
import {
  AppError,
  type ErrorCode,
  errorsOfRecord,
  type FieldError,
  type FieldErrors,
  invalid,
} from '../../../core/errors.ts'
import type { Json, Records } from '../../../core/ports/records.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { embedsIn, type Resource, type Row } from '../../../core/resources/resource.ts'
import { derived } from '../../sql/derived.ts'
import { tableOf } from '../../sql/table.ts'
import { callsByMonth } from '../calls/call-months.ts'
import { andAt, foundFirst, isSpread, withoutBucket } from '../calls/spread.ts'
import type { Database } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import { Gatherer } from '../database/gather.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql, where } from '../database/sql.ts'
import type { AuditTrail } from '../service/audit.ts'
import { conditionsOf } from './list-plan.ts'
import type { NewRecord } from './new-record.ts'
import { listPages } from './pages.ts'
import { assertRules, isPlain, throwIfAny, violations } from './record-rules.ts'
import { count, identify, insert, locked, needed, remove, update } from './record-steps.ts'
import { insertSpread } from './spread-records.ts'
import { joinSql, viewSql } from './view.ts'

/** The storage port for resources. Groups the reads by id and the inserts of one turn of the event loop. */
export function records(database: Database, clock: Clock, trail: AuditTrail): Records {
  const shown = byId<Json>(database, resource => ({
    columns: `${viewSql(resource, 'single', sourceIn(database))} AS found`,
    joins: joinSql(resource, 'single'),
  }))
  const found = byId<Row>(database, () => ({ columns: 't.*', joins: '' }))
  const inserted = inserter(database)
  const updateOne = async (
    within: Queries,
    resource: Resource,
    id: number,
    by: Actor | undefined,
    change: (before: Row) => Row,
  ): Promise<Json> => {
    const before = await locked(within, resource, id)
    const next = change(before)
    const json = await update(within, resource, before, next, clock.now())
    const changes = changesOf(resource, before, next)
    if (Object.keys(changes).length > 0) await trail.note(within, 'update', resource.name, id, changes, by)
    return json
  }
  const port: Records = {
    list: (resource, query) => listPages(database, resource, query),
    show: async (resource, id) => (await shown(resource).ask(id)).found,
    find: async (resource, id) => (await found(resource).ask(id)).row,
    identify: (resource, values) => identify(database, resource, values),
    count: (resource, values) => count(database, resource, values),
    countUpTo: async (resource, selection, most, signal) => {
      const table = raw(tableOf(resource.name))
      const conditions = where(conditionsOf(database, resource, selection))
      const counted = sql`SELECT count(*) FROM (SELECT 1 FROM ${table} t ${conditions} LIMIT ${most}) f`
      return (await database.until(signal).planned.value<number>(counted)) ?? 0
    },
    violations: (resource, values, id) => violations(database, resource, values, id),
    insert: (resource, values, by) =>
      withSentences(database, resource, values, undefined, () =>
        inserted(resource, { values, now: clock.now(), signed: trail.signed(by) }),
      ),
    update: async (resource, id, change, by) => {
      let next: Row = {}
      const work = () =>
        database.write(within =>
          updateOne(within, resource, id, by, before => {
            next = { ...before, ...(typeof change === 'function' ? change(before) : change) }
            return next
          }),
        )
      return withSentences(database, resource, () => next, id, work)
    },
    updateAll: (resource, ids, change, by) =>
      database.write(async within => {
        const errors: FieldError[] = []
        for (const id of ids)
          errors.push(
            ...(await errorsOf(within, resource, id, note =>
              updateOne(within, resource, id, by, before => note({ ...before, ...change(before, id) })),
            )),
          )
        if (errors.length > 0) throw invalid(errors)
      }),
    // The server deletes the dependants, and blocks nothing here.
    isWidelyReferredTo: async () => false,
    remove: (resource, id, { cascade }, by) =>
      database
        .write(async within => {
          const changes = changesOf(resource, await locked(within, resource, id), null)
          await trail.note(within, 'delete', resource.name, id, { ...changes, ...(cascade ? { cascade } : {}) }, by)
          await remove(within, resource, id, cascade)
        })
        .catch(async error => {
          throw await needed(database, resource, id, error)
        }),
  }
  return port
}

/** Errors that concern one record of several, rather than all of them. */
const OF_ONE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['invalid', 'not_found', 'conflict', 'forbidden'])

/** Changes one of several records and returns its errors; a failed change is undone and the transaction continues. */
async function errorsOf(
  within: Queries,
  resource: Resource,
  id: number,
  change: (note: (next: Row) => Row) => Promise<unknown>,
): Promise<FieldErrors> {
  let made: Row = {}
  await within.run(raw('SAVEPOINT one'))
  try {
    await change(next => {
      made = next
      return next
    })
    await within.run(raw('RELEASE SAVEPOINT one'))
    return []
  } catch (error) {
    await within.run(raw('ROLLBACK TO SAVEPOINT one'))
    if (isConstraint(error)) return errorsOfRecord(id, invalid(await violations(within, resource, made, id)))
    if (!(error instanceof AppError) || !OF_ONE.has(error.code)) throw error
    return errorsOfRecord(id, error)
  }
}

/** Makes a change; if a constraint fails, throws the errors of the rules behind it. */
async function withSentences<T>(
  database: Database,
  resource: Resource,
  values: Row | (() => Row),
  id: number | undefined,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const tried = typeof values === 'function' ? values() : values
    if (isConstraint(error)) throwIfAny(await violations(database, resource, tried, id))
    throw error
  }
}

const CALLS = tableOf(cdrs.name)

interface Found<T> {
  readonly found: T | null
  readonly row: Row | null
}

/** A cluster reads embedded records that it spreads before the others. */
const sourceIn =
  (database: Database) =>
  (resource: string): string =>
    isSpread(database, tableOf(resource)) ? `embedded_${tableOf(resource)}` : tableOf(resource)

function embeddedFirst(database: Database, resource: Resource, ids: readonly number[]): Sql {
  const spread = embedsIn(resource, 'single').flatMap(embed =>
    embed.kind === 'many' && isSpread(database, tableOf(embed.from)) ? [embed] : [],
  )
  if (spread.length === 0) return raw('')
  const read = spread.map(
    ({ from, by }) =>
      sql`${raw(sourceIn(database)(from))} AS MATERIALIZED (SELECT * FROM ${raw(tableOf(from))} WHERE ${raw(by)} = ANY(${ids}))`,
  )
  return sql`WITH ${joined(read, ', ')} `
}

/**
 * The calls of these ids, kept by month. For an array the server makes a new plan each time, which takes it 3 ms with 36
 * months; for single values, rounded up to few numbers of them, it keeps one. LIMIT tells it that all months together
 * have no more, or it would read all extensions for them.
 */
function amongMonths(ids: readonly number[]): Sql {
  const size = 2 ** Math.ceil(Math.log2(ids.length))
  const padded = Array.from({ length: size }, (_, place) => sql`${ids[place] ?? ids[0] ?? null}`)
  return sql`(SELECT t.* FROM ${raw(CALLS)} t WHERE t.id IN (${joined(padded, ', ')}) LIMIT ${raw(String(size))})`
}

/** Reads records of many ids in one statement. */
function byId<T>(
  database: Database,
  sqlOf: (resource: Resource) => { readonly columns: string; readonly joins: string },
) {
  const byMonth = callsByMonth(database)
  return derived(resource => {
    const { columns, joins } = sqlOf(resource)
    const table = tableOf(resource.name)
    return new Gatherer<number, Found<T>>(async ids => {
      const some = sql`WHERE t.id = ANY(${ids})`
      const found = isSpread(database, table)
        ? sql`(SELECT t.* FROM ${raw(table)} t ${some}${andAt(database, 't', ids)}${foundFirst(database)}) t ${raw(joins)} ${some}`
        : table === CALLS && (await byMonth())
          ? sql`${amongMonths(ids)} t ${raw(joins)}`
          : sql`${raw(table)} t ${raw(joins)} ${some}`
      const rows = await database.rows<{ wanted: number; found: T } & Row>(
        sql`${embeddedFirst(database, resource, ids)}SELECT t.id AS wanted, ${raw(columns)} FROM ${found}`,
      )
      const byWanted = new Map(rows.map(({ wanted, ...row }) => [wanted, withoutBucket(row)]))
      return ids.map(id => {
        const row = byWanted.get(id)
        return { found: row?.found ?? null, row: row ?? null }
      })
    })
  })
}

/** Groups records whose rules are all constraints; each other record gets its own transaction. */
function inserter(database: Database): (resource: Resource, record: NewRecord) => Promise<Json> {
  const together = derived(
    resource =>
      new Gatherer<NewRecord, Json>(records =>
        isSpread(database, tableOf(resource.name))
          ? database.write(within => insertSpread(within, resource, records))
          : insert(database.single, resource, records),
      ),
  )
  return (resource, record) =>
    isPlain(resource)
      ? together(resource).ask(record)
      : database.write(async within => {
          await assertRules(within, resource, record.values)
          const [json] = await insert(within, resource, [record])
          return json ?? ''
        })
}
