import type { Damage, Maintenance, Statistics } from '../../../core/ports/system.ts'
import { resourceNamed, resources } from '../../../core/resources/all.ts'
import { sidesOf } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'
import { withinSql } from '../../sql/within.ts'
import { isByMonth, missingMonths, monthsOfOthers } from '../calls/call-months.ts'
import { isSpread } from '../calls/spread.ts'
import type { Database } from '../database/database.ts'
import { backup, noDumps } from '../database/dumps.ts'
import { schemaVersion } from '../database/migrate.ts'
import { shownAddress } from '../database/options.ts'
import { raw, sql } from '../database/sql.ts'
import { isServed } from '../fleet/serving.ts'
import { serverFigures } from './server-figures.ts'

/** Tables with more records are counted approximately, by the server's statistics. */
const EXACT = 100_000

export function maintenance(database: Database, address: string): Maintenance {
  return {
    statistics: () => statistics(database, address),
    backup: async to => {
      if (database.spread) throw noDumps(database.spread)
      return backup(address, to)
    },
    check: () => damage(database),
    strays: async declared => {
      const { name } = declared
      const [first, ...others] = sidesOf(declared)
      if (!first) return []
      const owner = (side: typeof first): string => withinSql(side, declared.within?.field ?? '', field => `j.${field}`)
      const differing = others.map(side => `${owner(first)} <> ${owner(side)}`)
      return database.values<number>(
        sql`${raw(gathered(database, declared))}SELECT j.id FROM ${raw(`${tableOf(name)} j WHERE ${differing.join(' OR ') || 'false'}`)} ORDER BY j.id`,
      )
    },
    shared: async ({ name, key }) => {
      const groups = await database.values<string>(
        sql`SELECT json_agg(id ORDER BY id DESC) FROM ${raw(`${tableOf(name)} GROUP BY ${key.join()}`)}
          HAVING count(*) > 1 ORDER BY max(id) DESC`,
      )
      return groups.map(ids => JSON.parse(ids))
    },
    held: ({ name }, field) =>
      database.values<string>(sql`SELECT DISTINCT ${raw(field)} FROM ${raw(tableOf(name))} ORDER BY 1`),
    callMonths: async now =>
      (await isByMonth(database))
        ? { unprepared: await monthsOfOthers(database), missing: await missingMonths(database, now) }
        : null,
    lastBeat: async () => (await database.value<string>(sql`SELECT beaten_at FROM heartbeat`)) ?? null,
    isServed: () => isServed(database),
  }
}

/** Records that rows of a spread table refer to are on one node: a cluster takes them along. */
function gathered(queries: Database, { name, fields }: Pick<Resource, 'name' | 'fields'>): string {
  if (!isSpread(queries, tableOf(name))) return ''
  const tables = Object.values(fields).flatMap(({ references }) =>
    typeof references?.to === 'string' ? [tableOf(references.to)] : [],
  )
  return takenAlong(tables)
}

const takenAlong = (tables: readonly string[]): string =>
  `WITH ${tables.map(table => `${table} AS MATERIALIZED (SELECT * FROM ${table})`).join(', ')} `

async function statistics(database: Database, address: string): Promise<Statistics> {
  const counts: Record<string, number> = {}
  const lastWrites: Record<string, string | null> = {}
  const noted = await database.planned.rows<{ resource: string; at: string }>(
    sql`SELECT resource, max(at) AS at FROM audit GROUP BY resource`,
  )
  for (const { name, timestamps } of resources) {
    const table = raw(tableOf(name))
    const about =
      (await database.value<number>(
        database.spread && isSpread(database, tableOf(name))
          ? raw(database.spread.rowsAbout(tableOf(name)))
          : sql`SELECT sum(reltuples)::bigint FROM pg_class WHERE oid = to_regclass(${tableOf(name)}) OR oid IN (
          SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass(${tableOf(name)}))`,
      )) ?? 0
    counts[name] = about > EXACT ? about : ((await database.value<number>(sql`SELECT count(*) FROM ${table}`)) ?? 0)
    const newest = timestamps
      ? await database.value<string>(sql`SELECT updated_at FROM ${table} ORDER BY id DESC LIMIT 1`)
      : undefined
    const moments = [noted.find(({ resource }) => resource === name)?.at ?? '', newest ?? ''].sort()
    lastWrites[name] = moments.at(-1) || null
  }
  return {
    path: shownAddress(address),
    bytes:
      (await database.value<number>(
        raw(
          `SELECT (pg_database_size(current_database())${database.spread ? ` + ${database.spread.bytes}` : ''})::bigint`,
        ),
      )) ?? 0,
    logBytes: 0,
    server: await serverFigures(database),
    schema: await schemaVersion(database),
    counts,
    lastWrites,
  }
}

interface Reference {
  readonly table: string
  /** The column that tells rows apart. */
  readonly id: string
  readonly field: string
  readonly parent: string
}

/** References that statements keep, and no constraint. */
const UNCONSTRAINED: readonly Reference[] = [
  { table: 'cdrs', id: 'id', field: 'tenant_id', parent: 'tenants' },
  { table: 'cdrs', id: 'id', field: 'extension_id', parent: 'extensions' },
  { table: 'cdr_ratings', id: 'cdr_id', field: 'cdr_id', parent: 'cdrs' },
  { table: 'cdr_rating_history', id: 'id', field: 'cdr_id', parent: 'cdrs' },
]
/** Constraints do not hold for what was stored while triggers were off, as by a replication or some restores. */
const CONSTRAINED = sql`SELECT c.conrelid::regclass::text AS table, f.attname AS field, c.confrelid::regclass::text AS parent,
    coalesce((SELECT i.attname FROM pg_attribute i WHERE i.attrelid = c.conrelid AND i.attname = 'id'), f.attname) AS id
  FROM pg_constraint c JOIN pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = c.conkey[1]
  WHERE c.contype = 'f' AND c.conparentid = 0 AND c.connamespace = 'public'::regnamespace ORDER BY 1, 2`
/** Findings of one kind that are listed. */
const LISTED = 100

async function danglingIn(database: Database): Promise<Damage[]> {
  const found: Damage[] = []
  const constrained = (await database.rows<Reference>(CONSTRAINED)).filter(({ table }) => !isSpread(database, table))
  for (const { table, id, field, parent } of [...UNCONSTRAINED, ...constrained]) {
    // A cluster has constraints between its own tables.
    if (isSpread(database, parent)) continue
    const ids = await database.planned.values<number>(
      raw(`${isSpread(database, table) ? takenAlong([parent]) : ''}SELECT t.${id} FROM ${table} t WHERE t.${field} IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM ${parent} p WHERE p.id = t.${field}) ORDER BY 1 LIMIT ${LISTED}`),
    )
    found.push(
      ...ids.map(each => ({
        finding: `row ${each} of ${table} refers to a record of ${parent} that is not there`,
        dangling: { table, id: each, parent },
      })),
    )
  }
  return found
}

/** Routes point to one of several tables, and an index may be incomplete. */
async function damage(database: Database): Promise<Damage[]> {
  const routes = await database.rows<{ id: number; kind: string }>(sql`SELECT id, target_type AS kind FROM routes r
    WHERE (target_type = 'extension' AND NOT EXISTS (SELECT 1 FROM extensions WHERE id = r.target_id))
       OR (target_type = 'queue' AND NOT EXISTS (SELECT 1 FROM queues WHERE id = r.target_id)) ORDER BY id`)
  const indexes = await database.values<string>(
    sql`SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid ORDER BY 1`,
  )
  return [
    ...routes.map(({ id, kind }) => ({
      finding: `${resourceNamed('routes').label} ${id} refers to a record of ${kind}s that is not there`,
      dangling: { table: 'routes', id, parent: `${kind}s` },
    })),
    ...(await danglingIn(database)),
    ...indexes.map(name => ({ finding: `the index ${name} is not valid`, dangling: null, index: name })),
  ]
}
