import { setTimeout as pause } from 'node:timers/promises'
import type { Dated, Retention } from '../../../core/ports/upkeep.ts'
import {
  detachBefore,
  detachedPartitions,
  forgetCalls,
  isByMonth,
  makePartitions,
  monthsAhead,
  monthsOfOthers,
} from '../calls/call-months.ts'
import { andAt, isSpread } from '../calls/spread.ts'
import type { Database } from '../database/database.ts'
import type { Queries } from '../database/queries.ts'
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
  /** No node knows which calls are the oldest of all, so they are found first. */
  const spreadInSteps = async (moment: string, signal: AbortSignal | undefined): Promise<number> => {
    let total = 0
    for (let found = STEP; found === STEP && !signal?.aborted; ) {
      const ids = await database.long.values<number>(
        sql`SELECT id FROM cdrs WHERE started_at < ${moment} ORDER BY started_at LIMIT ${raw(String(STEP))}`,
      )
      found = ids.length
      if (found > 0)
        total += await database.single.run(sql`DELETE FROM cdrs c WHERE c.id = ANY(${ids})${andAt(database, 'c', ids)}`)
    }
    return total
  }
  const most = raw(`LIMIT ${STEP} FOR UPDATE SKIP LOCKED`)
  return {
    deleteBefore: async (what, moment, signal) => {
      const table = raw(DATED[what].table)
      const column = raw(DATED[what].moment)
      if (isSpread(database, DATED[what].table)) return spreadInSteps(moment, signal)
      const dropped = what === 'cdrs' && (await isByMonth(database)) ? await dropMonths(database, moment, signal) : 0
      const deleted = await inSteps(
        sql`DELETE FROM ${table} WHERE (id, ${column}) IN (
          SELECT id, ${column} FROM ${table} WHERE ${column} < ${moment} ORDER BY ${column} ${most})`,
        signal,
      )
      return dropped + deleted
    },
    prepareMonths: async now => {
      if (await isByMonth(database))
        await alone(database, async within => {
          const others = await monthsOfOthers(within)
          await makePartitions(within, [...monthsAhead(now), ...others.map(({ month }) => month)], now)
        })
    },
    clearResponsesBefore: (moment, signal) =>
      inSteps(
        sql`UPDATE sms_messages SET remote_response = '{}' WHERE id IN (
          SELECT id FROM sms_messages WHERE requested_at < ${moment} AND remote_response::text <> '{}' ${most})`,
        signal,
      ),
  }
}

/** How long a change of the partitions waits for statements that use the calls, which wait behind it as well. */
const SHORT_LOCK = raw("SET LOCAL lock_timeout = '2s'")

/** Changes the partitions of the calls, one program at a time, and fails rather than hold up others; it is tried again. */
async function alone(database: Database, work: (within: Queries) => Promise<void>): Promise<void> {
  const session = database.session()
  try {
    await session.write(async within => {
      await within.run(sql`SELECT pg_advisory_xact_lock(hashtextextended('months of calls', 0))`)
      await within.run(SHORT_LOCK)
      await work(within)
    })
  } finally {
    await session.close()
  }
}

/**
 * Takes whole months out of the calls at once, then deletes what refers to their calls in steps, and drops them. What
 * was interrupted goes on next time. Returns how many calls there were.
 */
async function dropMonths(database: Database, moment: string, signal: AbortSignal | undefined): Promise<number> {
  if (signal?.aborted) return 0
  await alone(database, within => detachBefore(within, moment))
  let total = 0
  for (const partition of await detachedPartitions(database)) {
    for (let last = 0; ; ) {
      if (signal?.aborted) return total
      const ids = await database.write(within => forgetCalls(within, partition, last))
      total += ids.length
      if (ids.length === 0) break
      last = ids.at(-1) ?? last
    }
    await database.single.script(`DROP TABLE IF EXISTS ${partition}`)
  }
  return total
}
