import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SearchIndexing } from '../../../core/ports/upkeep.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'
import type { Database } from '../database/database.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import { searchedText } from './search.ts'

/** The names of search indexes contain it. */
export const MARK = '_search_'

/**
 * How much of an index may wait to be sorted in, in KiB. With the server's default, sorting in doubles the time of
 * storing calls; with this much, it happens beside. Searches look through what waits.
 */
const WAITING_KIB = 256 * 1024

/** Creates the search index of the declared fields, and drops indexes of other fields. */
export async function indexSearched(within: Queries, resource: Resource): Promise<void> {
  const table = tableOf(resource.name)
  const text = searchedText(resource, '')
  const name = `${table}${MARK}${createHash('sha256').update(text).digest('hex').slice(0, 8)}`
  const present = await within.values<string>(
    sql`SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() AND tablename = ${table}
      AND starts_with(indexname::text, ${table + MARK})`,
  )
  for (const other of present.filter(each => each !== name)) await within.run(raw(`DROP INDEX ${other}`))
  if (!present.includes(name))
    await within.run(
      raw(`CREATE INDEX ${name} ON ${table} USING gin ((${text}) gin_trgm_ops)
        WITH (gin_pending_list_limit = ${WAITING_KIB})`),
    )
}

const EVERY_MS = 1_000

/** One program at a time sorts in. */
const SORT_IN = `WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('search indexes', 0)) AS is_ours)
  SELECT sum(gin_clean_pending_list(i.oid)) FROM turn, pg_class i
  WHERE turn.is_ours AND i.relkind = 'i' AND i.relnamespace = current_schema()::regnamespace
    AND i.relam = (SELECT oid FROM pg_am WHERE amname = 'gin')`

/** The server indexes each record as it is stored; what waits is sorted in beside. */
export const searchIndexing = ({ long, spread }: Database): SearchIndexing => ({
  followWrites: async (signal, onTrouble) => {
    const sortIn = raw(spread?.everywhere(SORT_IN) ?? SORT_IN)
    while (!signal.aborted) {
      await long.run(sortIn).catch(onTrouble)
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  },
})
