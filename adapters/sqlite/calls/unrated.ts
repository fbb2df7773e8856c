import type { Connection } from '../database/database.ts'
import { UNRATED } from './call-ratings.ts'

/** The most unrated calls to look up by their index: some milliseconds. */
const FEW = 10_000

export const unratedCount = ({ value }: Connection, most = Number.MAX_SAFE_INTEGER): number =>
  value<[number], number>(`SELECT count(*) FROM (SELECT 1 FROM cdr_ratings r WHERE ${UNRATED} LIMIT ?)`).get(most) ?? 0

/** The SQL condition for calls `t` that are unrated: by an index lookup if they are few, else checked call by call. */
export function unratedSql(connection: Connection): { readonly sql: string; readonly isFew: boolean } {
  const isFew = unratedCount(connection, FEW) < FEW
  const sql = isFew
    ? `t.id IN (SELECT r.cdr_id FROM cdr_ratings r WHERE ${UNRATED})`
    : `EXISTS (SELECT 1 FROM cdr_ratings r WHERE r.cdr_id = t.id AND ${UNRATED})`
  return { sql, isFew }
}
