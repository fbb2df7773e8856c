import type { Value } from '../../../core/resources/field.ts'
import type { Spread } from '../../sql/spread.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql } from '../database/sql.ts'

/** Where calls are in a cluster. On one server, all of these are empty texts. */

type Spreading = Pick<Queries, 'spread'>

const NOTHING = raw('')

export const isSpread = ({ spread }: Spreading, table: string): boolean => spread?.tables.has(table) ?? false

const bucketsOf = ({ buckets }: Spread, ids: readonly number[]): number[] => [...new Set(ids.map(id => id % buckets))]

/** ` AND …`: true only on the nodes of these tenants, or of the calls with these ids. */
export function andAt({ spread }: Spreading, alias: string, ids: number | readonly number[]): Sql {
  if (!spread) return NOTHING
  const column = raw(`${alias}.bucket`)
  return typeof ids === 'number'
    ? sql` AND ${column} = ${ids % spread.buckets}`
    : sql` AND ${column} = ANY(${bucketsOf(spread, ids)})`
}

/** ` AND …`: what belongs to a call is on the node of the call. */
export const andTogether = ({ spread }: Spreading, one: string, other: string): Sql =>
  spread ? raw(` AND ${one}.bucket = ${other}.bucket`) : NOTHING

/** SQL for the next id of a sequence, for a record of the tenant in that column. */
export const nextId = ({ spread }: Spreading, table: string, tenant: string): Sql =>
  spread?.tables.has(table)
    ? raw(`nextval('${table}_id_seq') * ${spread.buckets} + ${tenant} % ${spread.buckets}`)
    : raw(`nextval('${table}_id_seq')`)

/** Takes ids for records of these tenants, in their order. */
export const nextIds = (within: Queries, table: string, tenants: readonly number[]): Promise<number[]> =>
  within.values<number>(
    within.spread?.tables.has(table)
      ? sql`SELECT ${nextId(within, table, 'u.tenant')} FROM unnest(${tenants}::bigint[]) AS u(tenant)`
      : sql`SELECT ${nextId(within, table, '')} FROM generate_series(1, ${tenants.length}::bigint)`,
  )

/** The column of the bucket at the end of inserted ones, and its value by the id of the call. */
export const bucketColumn = ({ spread }: Spreading): Sql => (spread ? raw(', bucket') : NOTHING)
export const bucketOf = ({ spread }: Spreading, id: string): Sql =>
  spread ? raw(`, (${id} % ${spread.buckets})::int`) : NOTHING

/** The same for COPY: the names and values of columns at the end. */
export const bucketNames = ({ spread }: Spreading): readonly string[] => (spread ? ['bucket'] : [])
export const bucketValues = ({ spread }: Spreading, id: number): readonly number[] =>
  spread ? [id % spread.buckets] : []

/** The bucket of a record with this id, or of a tenant's. */
export const bucketAt = ({ spread }: Spreading, id: number): number => (spread ? id % spread.buckets : 0)

/** Keeps the nodes from joining what they do not have: the records are found first. */
export const foundFirst = ({ spread }: Spreading): Sql => (spread ? raw(' OFFSET 0') : NOTHING)

type Referring = Readonly<Partial<Record<'tenant_id' | 'extension_id', Value>>>

/**
 * In a cluster no constraint checks what calls refer to, so this does, and keeps it there until the transaction ends.
 * Throws the error of a constraint.
 */
export async function assertCallsMayRefer(within: Queries, calls: readonly Referring[]): Promise<void> {
  if (!within.spread) return
  const idsIn = (field: keyof Referring): number[] => [
    ...new Set(calls.flatMap(call => (typeof call[field] === 'number' ? [call[field]] : []))),
  ]
  await within.run(sql`SELECT calls_may_refer(${idsIn('tenant_id')}, ${idsIn('extension_id')})`)
}

/** A row without its bucket, which is no field. */
export function withoutBucket<R extends object>(row: R): R {
  if (!('bucket' in row)) return row
  const { bucket: _, ...fields } = row
  return fields as R
}
