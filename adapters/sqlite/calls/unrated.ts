import type { Connection } from '../database/database.ts'
import { UNRATED } from './call-ratings.ts'

/** Most unrated calls that are looked up by their index: some milliseconds. */
const FEW = 10_000

export const unratedCount = ({ value }: Connection, most = Number.MAX_SAFE_INTEGER): number =>
  value<[number], number>(`SELECT count(*) FROM (SELECT 1 FROM cdr_ratings r WHERE ${UNRATED} LIMIT ?)`).get(most) ?? 0

/** True for the calls `t` that are unrated: looked up where they are few, else found on the way through the calls. */
export const unratedSql = (connection: Connection): string =>
  unratedCount(connection, FEW) < FEW
    ? `t.id IN (SELECT r.cdr_id FROM cdr_ratings r WHERE ${UNRATED})`
    : `EXISTS (SELECT 1 FROM cdr_ratings r WHERE r.cdr_id = t.id AND ${UNRATED})`
