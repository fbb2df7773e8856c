import { hash } from 'node:crypto'
import type { LoginCounts } from '../../../core/ports/accounts.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'

interface CountRow {
  readonly key: string
  readonly count: number
  readonly seconds: number
}

/** The storage port: counts for all daemons, by the clock of the server. */
export function loginCounts({ single }: Database): LoginCounts {
  return {
    add: async (keys, seconds) => {
      const hashes = keys.map(hashOf)
      // In one order, so that two daemons do not wait for each other.
      const rows = await single.rows<CountRow>(sql`INSERT INTO login_counts AS c (key, count, ends_at)
        SELECT k, 1, now() + make_interval(secs => ${seconds}) FROM unnest(${hashes}::text[]) k ORDER BY k
        ON CONFLICT (key) DO UPDATE SET count = CASE WHEN c.ends_at <= now() THEN 1 ELSE c.count + 1 END,
          ends_at = CASE WHEN c.ends_at <= now() THEN excluded.ends_at ELSE c.ends_at END
        RETURNING key, count, extract(epoch FROM ends_at - now())::double precision AS seconds`)
      return hashes.map(key => {
        const { count = 1, seconds: left = seconds } = rows.find(row => row.key === key) ?? {}
        return { count, secondsLeft: left }
      })
    },
    takeBack: async keys => {
      await single.run(sql`UPDATE login_counts SET count = count - 1 WHERE key IN (
        SELECT key FROM login_counts WHERE key = ANY(${keys.map(hashOf)}::text[]) ORDER BY key FOR UPDATE)`)
    },
    clear: async key => {
      await single.run(sql`DELETE FROM login_counts WHERE key = ${hashOf(key)}`)
    },
    forgetExpired: async () => {
      await single.run(sql`DELETE FROM login_counts WHERE ends_at <= now()`)
    },
  }
}

const hashOf = (key: string): string => hash('sha256', key)
