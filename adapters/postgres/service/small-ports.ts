import { randomBytes } from 'node:crypto'
import type { Notice, Notices } from '../../../core/ports/notices.ts'
import type { ServerKeys } from '../../../core/ports/server-keys.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Gauges, Heartbeat } from '../../../core/ports/upkeep.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { serverFigures } from './server-figures.ts'

/** Storage ports that need a statement or two. */

export const notices = (database: Database, clock: Clock): Notices => ({
  raise: async ({ code, subject, detail }) => {
    const now = clock.now()
    await database.single.run(sql`INSERT INTO notices (code, subject, detail, first_at, last_at)
      VALUES (${code}, ${subject}, ${detail}, ${now}, ${now})
      ON CONFLICT (code, subject) DO UPDATE SET detail = excluded.detail, last_at = excluded.last_at`)
  },
  clear: async (code, subject = '') => {
    await database.single.run(sql`DELETE FROM notices WHERE code = ${code} AND subject = ${subject}`)
  },
  list: () =>
    database.rows<Notice>(
      sql`SELECT code, subject, detail, first_at AS "firstAt", last_at AS "lastAt" FROM notices ORDER BY code, subject`,
    ),
})

export const serverKeys = (database: Database): ServerKeys => {
  const stored = (name: string) => database.value<string>(sql`SELECT value FROM server_keys WHERE name = ${name}`)
  return {
    find: async name => {
      const present = await stored(name)
      if (present !== undefined) return present
      await database.single.run(sql`INSERT INTO server_keys (name, value)
        VALUES (${name}, ${randomBytes(32).toString('base64url')}) ON CONFLICT DO NOTHING`)
      return (await stored(name)) ?? ''
    },
  }
}

export const heartbeat = (database: Database, clock: Clock): Heartbeat => ({
  beat: async () => {
    const now = clock.now()
    await database.single.run(sql`INSERT INTO heartbeat (id, beaten_at) VALUES (1, ${now})
      ON CONFLICT (id) DO UPDATE SET beaten_at = greatest(heartbeat.beaten_at, excluded.beaten_at)`)
    return now
  },
})

export const gauges = (database: Database): Gauges => ({
  server: () => serverFigures(database),
  logBytes: async () =>
    (await database.value<number>(
      sql`SELECT (pg_current_wal_lsn() - redo_lsn)::bigint FROM pg_control_checkpoint()`,
    )) ?? 0,
  parkedReceipts: () =>
    database.rows(
      sql`SELECT sms_gateway_id AS gateway, count(*) AS count FROM parked_receipts GROUP BY sms_gateway_id`,
    ),
})
