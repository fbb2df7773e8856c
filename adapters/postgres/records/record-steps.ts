import { changesOf } from '../../../core/audit.ts'
import { invalid, notFound } from '../../../core/errors.ts'
import type { Json } from '../../../core/ports/records.ts'
import { cascadeOrder, restrictingReferences, stillNeeded } from '../../../core/resources/references/dependants.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { isNamed, type Resource, type Row, timestamped } from '../../../core/resources/resource.ts'
import { unmovable } from '../../../core/resources/values/field-errors.ts'
import { derived } from '../../sql/derived.ts'
import { tableOf } from '../../sql/table.ts'
import { andAt, assertCallsMayRefer, isSpread, withoutBucket } from '../calls/spread.ts'
import { isConstraint } from '../database/errors.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Scalar, type Sql, sql, where } from '../database/sql.ts'
import { AUDIT_COLUMNS } from '../service/audit.ts'
import type { NewRecord } from './new-record.ts'
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
  const { statement, columns } = insertion(resource)
  const values = columns.map(({ of }) => records.map(of))
  const ids = (await queries.value<string>(statement.with(values)))?.split(',') ?? []
  const write = plainWriter(resource)
  return records.map(({ values, now }, place) =>
    write(values, { id: Number(ids[place]), created_at: now, updated_at: now }),
  )
}

/** What the server is sent of each new record. */
interface Column {
  readonly name: string
  readonly type: string
  of(record: NewRecord): Scalar
}

function columnsOf(resource: Resource): readonly Column[] {
  const text = (name: string, of: Column['of']): Column => ({ name, type: 'text', of })
  return [
    ...Object.entries(resource.fields).map(([name, field]) => ({
      ...text(name, ({ values }) => values[name] ?? null),
      ...(field.kind === 'json' ? {} : { type: typeOf(field) }),
    })),
    text('made_at', ({ now }) => now),
    text('noted_at', ({ signed }) => signed.at),
    text('actor', ({ signed }) => signed.actor),
    text('origin', ({ signed }) => signed.origin),
    text('changes', ({ values }) => JSON.stringify(changesOf(resource, null, values))),
  ]
}

/** The statement that stores records and returns their ids, in order and joined by commas; it binds an array a column. */
const insertion = derived(resource => {
  const columns = columnsOf(resource)
  const stored = [
    ...Object.entries(resource.fields).map(([name, { kind }]) => [name, kind === 'json' ? `${name}::json` : name]),
    ...timestamped(resource).map(name => [name, 'made_at']),
  ]
  const statement = sql`WITH u AS MATERIALIZED (
      SELECT nextval('${raw(tableOf(resource.name))}_id_seq') AS id, g.* FROM (
        SELECT * FROM unnest(${joined(
          columns.map(({ type }) => sql`${null}::${raw(type)}[]`),
          ', ',
        )}) WITH ORDINALITY AS x(${raw(columns.map(({ name }) => name).join())}, place) ORDER BY place) g),
    t AS (INSERT INTO ${table(resource)} (id, ${raw(stored.map(([name]) => name).join())})
      SELECT u.id, ${raw(stored.map(([, value]) => `u.${value}`).join())} FROM u),
    a AS (INSERT INTO audit (${raw(AUDIT_COLUMNS)})
      SELECT u.noted_at, u.actor, u.origin, 'create', '${raw(resource.name)}', u.changes, u.id,
        ${raw(isNamed(resource) ? nameOf(resource, 'u') : 'NULL')} FROM u ORDER BY u.id)
    SELECT string_agg(u.id::text, ',' ORDER BY u.id) FROM u`
  return { statement, columns }
})

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
    await assertCallsMayRefer(within, [next])
    if (next[TENANT] !== former[TENANT]) throw invalid([unmovable(TENANT, resource)])
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
