import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import { IS_ACTIVE } from './call-ratings.ts'
import { andAt, andTogether } from './spread.ts'

/** The id of a rate; the prefix of an unknown rate after `BY_PREFIX`; or a name. */
export type Key = string | number

/** Marks the prefix that rated a call if the rate itself is unknown. */
export const BY_PREFIX = '='

interface Named {
  readonly id: number
  readonly name: string
}

/**
 * Names the destinations of keys. A deleted rate takes its name from the past deck it belonged to, from the present
 * rate of its prefix, or else from the prefix.
 */
export async function destinationNames(
  queries: Queries,
  tenantId: number,
  keys: readonly Key[],
): Promise<(key: Key) => string> {
  const ids = keys.filter(key => typeof key === 'number')
  const named = new Map<Key, string>()
  const take = (rows: readonly Named[]): void => {
    for (const { id, name } of rows) named.set(id, name)
  }
  take(await queries.rows(sql`SELECT id, destination AS name FROM rates WHERE id = ANY(${ids}::bigint[])`))
  const missing = () => ids.filter(id => !named.has(id))
  if (missing().length > 0)
    take(
      await queries.rows(sql`SELECT r.rate_id AS id, r.destination AS name FROM deck_rates r JOIN decks d ON d.id = r.deck_id
        WHERE d.tenant_id = ${tenantId} AND r.rate_id = ANY(${missing()}::bigint[]) ORDER BY d.effective_at`),
    )
  const gone = missing()
  const prefixes = new Map<Key, string>(
    keys.flatMap(key => (typeof key === 'string' && key.startsWith(BY_PREFIX) ? [[key, key.slice(1)]] : [])),
  )
  if (gone.length > 0)
    for (const { id, name } of await queries.rows<Named>(sql`SELECT r.rate_id AS id, max(r.prefix) AS name
        FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id${andTogether(queries, 'r', 'c')}
        WHERE c.tenant_id = ${tenantId}${andAt(queries, 'c', tenantId)} AND r.rate_id = ANY(${gone}::bigint[]) GROUP BY 1`))
      prefixes.set(id, name)
  const present = new Map(
    (
      await queries.rows<{ prefix: string; destination: string }>(sql`SELECT DISTINCT ON (prefix) prefix, destination
        FROM rates WHERE tenant_id = ${tenantId} AND prefix = ANY(${[...new Set(prefixes.values())]}::text[])
        ORDER BY prefix, (${raw(IS_ACTIVE)}) DESC, id DESC`)
    ).map(({ prefix, destination }) => [prefix, destination]),
  )
  return key => {
    const name = named.get(key)
    if (name !== undefined) return name
    const prefix = prefixes.get(key)
    if (prefix !== undefined) return present.get(prefix) ?? prefix
    return typeof key === 'number' ? `(${key})` : key
  }
}
