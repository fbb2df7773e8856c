import { setTimeout as pause } from 'node:timers/promises'
import type { Timestamp } from '../../core/dates.ts'
import type { Connection } from './database.ts'
import type { Writer } from './writer.ts'

/** Rows whose time is over. `order` is an index that gives the oldest first: that of the moment, or the id. */
export interface Dated {
  readonly table: string
  readonly moment: string
  readonly order: string
}

export const DATED = {
  audit: { table: 'audit', moment: 'at', order: 'id' },
  cdrs: { table: 'cdrs', moment: 'started_at', order: 'started_at' },
} as const satisfies Record<string, Dated>

/** Forgets what is old, in steps small enough that neither the event loop nor another writer notices. */
export interface Retention {
  /** Deletes the rows from before that moment; returns how many. */
  deleteBefore(rows: Dated, moment: Timestamp, signal?: AbortSignal): Promise<number>
  /** Empties what gateways answered to messages from before that moment; returns how many. */
  clearResponsesBefore(moment: Timestamp, signal?: AbortSignal): Promise<number>
}

const STEP = 200
const BETWEEN_STEPS_MS = 20

const rest = (signal: AbortSignal | undefined): Promise<void> =>
  pause(BETWEEN_STEPS_MS, undefined, signal ? { signal } : {}).catch(() => undefined)

/** The oldest rows, as far as they are from before a moment. */
export const oldestSql = ({ table, moment, order }: Dated): string =>
  `SELECT id FROM (SELECT id, ${moment} AS moment FROM ${table} ORDER BY ${order} LIMIT ${STEP}) WHERE moment < ?`

export function retention({ query, value }: Connection, writer: Writer): Retention {
  /** The last message that was looked at: ids follow time, so what comes before it has been done. */
  let looked = 0
  return {
    deleteBefore: async (rows, moment, signal) => {
      const sql = `DELETE FROM ${rows.table} WHERE id IN (${oldestSql(rows)})`
      let total = 0
      while (!signal?.aborted) {
        const deleted = await writer.write(() => query<[string], unknown>(sql).run(moment).changes)
        total += deleted
        if (deleted < STEP) return total
        await rest(signal)
      }
      return total
    },
    clearResponsesBefore: async (moment, signal) => {
      const next = value<[number, string], number>(
        `SELECT id FROM (SELECT id, requested_at FROM sms_messages WHERE id > ? ORDER BY id LIMIT ${STEP})
         WHERE requested_at < ?`,
      )
      const clear = query<[number, number, string], unknown>(
        `UPDATE sms_messages SET remote_response = '{}'
         WHERE id BETWEEN ? AND ? AND requested_at < ? AND remote_response <> '{}'`,
      )
      let total = 0
      while (!signal?.aborted) {
        const ids = next.all(looked, moment)
        const [first, last] = [ids[0], ids.at(-1)]
        if (first === undefined || last === undefined) return total
        total += await writer.write(() => clear.run(first, last, moment).changes)
        looked = last
        if (ids.length < STEP) return total
        await rest(signal)
      }
      return total
    },
  }
}
