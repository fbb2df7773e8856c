import { setTimeout as pause } from 'node:timers/promises'
import type { Dated, Retention } from '../../../core/ports/upkeep.ts'
import type { Database } from '../database/database.ts'
import { raw, type Sql, sql } from '../database/sql.ts'

const DATED: Readonly<Record<Dated, { readonly table: string; readonly moment: string }>> = {
  audit: { table: 'audit', moment: 'at' },
  cdrs: { table: 'cdrs', moment: 'started_at' },
}

/** Rows deleted in a step: at most a second of the server's work, so that locks are short. */
const STEP = 5_000
const BETWEEN_STEPS_MS = 20

/** Several daemons may run it at once: each skips the rows that another has locked. */
export function retention(database: Database): Retention {
  const inSteps = async (statement: Sql, signal: AbortSignal | undefined): Promise<number> => {
    let total = 0
    while (!signal?.aborted) {
      const done = await database.single.run(statement)
      total += done
      if (done < STEP) return total
      await pause(BETWEEN_STEPS_MS, undefined, signal ? { signal } : {}).catch(() => undefined)
    }
    return total
  }
  const most = raw(`LIMIT ${STEP} FOR UPDATE SKIP LOCKED`)
  return {
    deleteBefore: (what, moment, signal) => {
      const table = raw(DATED[what].table)
      const column = raw(DATED[what].moment)
      return inSteps(
        sql`DELETE FROM ${table} WHERE id IN (
          SELECT id FROM ${table} WHERE ${column} < ${moment} ORDER BY ${column} ${most})`,
        signal,
      )
    },
    clearResponsesBefore: (moment, signal) =>
      inSteps(
        sql`UPDATE sms_messages SET remote_response = '{}' WHERE id IN (
          SELECT id FROM sms_messages WHERE requested_at < ${moment} AND remote_response::text <> '{}' ${most})`,
        signal,
      ),
  }
}
