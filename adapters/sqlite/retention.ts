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

export function retention({ query, rows }: Connection, writer: Writer): Retention {
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
      const next = rows<[number, string], [id: number, isKept: number]>(
        `SELECT id, remote_response <> '{}' FROM (SELECT * FROM sms_messages WHERE id > ? ORDER BY id LIMIT ${STEP})
         WHERE requested_at < ?`,
      )
      const clear = query<[number, number, string], unknown>(
        `UPDATE sms_messages SET remote_response = '{}'
         WHERE id BETWEEN ? AND ? AND requested_at < ? AND remote_response <> '{}'`,
      )
      let total = 0
      // From the first each time: a receipt may have come for an old one.
      for (let looked = 0; !signal?.aborted; ) {
        const found = next.all(looked, moment)
        const last = found.at(-1)?.[0]
        if (last === undefined) return total
        const after = looked
        if (found.some(([, isKept]) => isKept))
          total += await writer.write(() => clear.run(after + 1, last, moment).changes)
        if (found.length < STEP) return total
        looked = last
        await rest(signal)
      }
      return total
    },
  }
}
