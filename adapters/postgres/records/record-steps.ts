import { changesOf } from '../../../core/audit.ts'
import { invalid, notFound } from '../../../core/errors.ts'
import type { Json } from '../../../core/ports/records.ts'
import { cascadeOrder, restrictingReferences, stillNeeded } from '../../../core/resources/references/dependants.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { isNamed, type Resource, type Row, timestamped } from '../../../core/resources/resource.ts'
import { unmovable } from '../../../core/resources/values/field-errors.ts'
import { tableOf } from '../../sql/table.ts'
import { andAt, assertCallsMayRefer, isSpread, withoutBucket } from '../calls/spread.ts'
import { isConstraint } from '../database/errors.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql, where } from '../database/sql.ts'
import { AUDIT_COLUMNS } from '../service/audit.ts'
import { type NewRecord, storedRow } from './new-record.ts'
import { plainWriter } from './plain-writer.ts'
import { nameOf } from './record-names.ts'
import { assertRules, typeOf } from './record-rules.ts'

const table = ({ name }: Pick<Resource, 'name'>): Sql => raw(tableOf(name))

const holding = (values: Row, queries: Queries, resource: Resource): Sql[] =>
  Object.entries(values).map(([name, value]) =>
    [TENANT, 'id'].includes(name) && typeof value === 'number'
      ? sql`${raw(name)} = ${value}${at(queries, resource, value)}`
      : sql`${raw(name)} = ${value}`,
  )

/** Stores records of one resource with their audit entries in one statement; returns their views in order. */
export async function insert(queries: Queries, resource: Resource, records: readonly NewRecord[]): Promise<Json[]> {
  const ids = (await queries.value<string>(insertSql(resource, records)))?.split(',') ?? []
  const write = plainWriter(resource)
  return records.map((record, place) => write({ ...storedRow(resource, record), id: Number(ids[place]) }))
}

/** Returns the new ids, in order and joined by commas. */
function insertSql(resource: Resource, records: readonly NewRecord[]): Sql {
  const fields = Object.entries(resource.fields)
  const stamps = timestamped(resource)
  const arrays = [
    ...fields.map(([name, field]) => {
      const type = field.kind === 'json' ? 'text' : typeOf(field)
      return sql`${records.map(({ values }) => values[name] ?? null)}::${raw(type)}[]`
    }),
    sql`${records.map(({ now }) => now)}::text[]`,
    ...(['at', 'actor', 'origin'] as const).map(part => sql`${records.map(({ signed }) => signed[part])}::text[]`),
    sql`${records.map(({ values }) => JSON.stringify(changesOf(resource, null, values)))}::text[]`,
  ]
  const columns = [...fields.map(([name]) => name), ...stamps].join()
  const inserted = [
    ...fields.map(([name, { kind }]) => (kind === 'json' ? `u.${name}::json` : `u.${name}`)),
    ...stamps.map(() => 'u.made_at'),
  ].join()
  const names = [...fields.map(([name]) => name), 'made_at', 'noted_at', 'actor', 'origin', 'changes', 'place'].join()
  return sql`WITH u AS MATERIALIZED (
      SELECT nextval(${`${tableOf(resource.name)}_id_seq`}::regclass) AS id, g.* FROM (
        SELECT * FROM unnest(${joined(arrays, ', ')}) WITH ORDINALITY AS x(${raw(names)}) ORDER BY place) g),
    t AS (INSERT INTO ${table(resource)} (id, ${raw(columns)}) SELECT u.id, ${raw(inserted)} FROM u),
    a AS (INSERT INTO audit (${raw(AUDIT_COLUMNS)})
      SELECT u.noted_at, u.actor, u.origin, 'create', ${resource.name}, u.changes, u.id,
        ${raw(isNamed(resource) ? nameOf(resource, 'u') : 'NULL')} FROM u ORDER BY u.id)
    SELECT string_agg(u.id::text, ',' ORDER BY u.id) FROM u`
}

/** ` AND …`: where the record of a spread table is. */
const at = (queries: Queries, resource: Resource, id: number): Sql =>
  isSpread(queries, tableOf(resource.name)) ? andAt(queries, tableOf(resource.name), id) : raw('')

/** The stored values, locked until the transaction ends. Throws `not_found`. */
export async function locked(within: Queries, resource: Resource, id: number): Promise<Row> {
  const row = await within.row<Row>(
    sql`SELECT * FROM ${table(resource)} WHERE id = ${id}${at(within, resource, id)} FOR NO KEY UPDATE`,
  )
  if (!row) throw notFound(resource.label)
  return withoutBucket(row)
}

/** Returns the view of the changed record. Throws `invalid` for rules that no constraint covers. */
export async function update(
  within: Queries,
  resource: Resource,
  former: Row,
  next: Row,
  now: string,
): Promise<string> {
  const id = Number(former['id'])
  await assertRules(within, resource, next, id)
  const names = Object.keys(resource.fields)
  const set = [
    ...names.map(name => sql`${raw(name)} = ${next[name] ?? null}`),
    ...(resource.timestamps ? [sql`updated_at = ${now}`] : []),
  ]
  if (isSpread(within, tableOf(resource.name))) {
    if (next[TENANT] !== former[TENANT]) throw invalid([unmovable(TENANT, resource)])
    await assertCallsMayRefer(within, [next])
  }
  await within.run(sql`UPDATE ${table(resource)} SET ${joined(set, ', ')} WHERE id = ${id}${at(within, resource, id)}`)
  return plainWriter(resource)({ ...next, ...(resource.timestamps ? { updated_at: now } : {}), id })
}

export const count = async (queries: Queries, resource: Resource, values: Row): Promise<number> =>
  (await queries.value<number>(
    sql`SELECT count(*) FROM ${table(resource)} ${where(holding(values, queries, resource))}`,
  )) ?? 0

export const identify = (queries: Queries, resource: Resource, values: Row): Promise<number[]> =>
  queries.values<number>(sql`SELECT id FROM ${table(resource)} ${where(holding(values, queries, resource))} LIMIT 2`)

/** Deletes the record, with all its dependants if `cascade` is set, however long that takes. */
export async function remove(within: Queries, resource: Resource, id: number, cascade: boolean): Promise<void> {
  if (cascade) {
    await within.run(raw('SET LOCAL statement_timeout = 0'))
    for (const { from, where: pointing } of cascadeOrder(restrictingReferences(resource)))
      await within.run(sql`DELETE FROM ${table(from)} ${where(holding(pointing(id), within, from))}`)
  }
  await within.run(sql`DELETE FROM ${table(resource)} WHERE id = ${id}${at(within, resource, id)}`)
}

/** Turns the error of a failed deletion into one that counts the records that prevent it. */
export async function needed(queries: Queries, resource: Resource, id: number, error: unknown): Promise<unknown> {
  if (!isConstraint(error)) return error
  const counts: [string, number][] = []
  for (const { from, where: pointing } of restrictingReferences(resource)) {
    const dependants = await count(queries, from, pointing(id))
    if (dependants > 0) counts.push([from.name, dependants])
  }
  return counts.length > 0 ? stillNeeded(resource, Object.fromEntries(counts)) : error
}
