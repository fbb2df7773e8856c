import { setTimeout as pause } from 'node:timers/promises'
import type { Dated, Retention } from '../../../core/ports/upkeep.ts'
import type { Connection } from '../database/database.ts'
import { type Some, upTo } from '../database/key-set.ts'
import type { Writer } from '../database/writer.ts'

/**
 * Rows with a retention time. `order` is an index, oldest first: by the moment or the id. `length` is the SQL of a
 * row's size in bytes, if it may be large.
 */
export interface DatedRows {
  readonly table: string
  readonly moment: string
  readonly order: string
  readonly length: string
}

export const DATED: Readonly<Record<Dated, DatedRows>> = {
  audit: { table: 'audit', moment: 'at', order: 'id', length: 'octet_length(changes)' },
  cdrs: { table: 'cdrs', moment: 'started_at', order: 'started_at', length: '0' },
}

const STEP = 200
/** Bytes of large rows in a step: what lies outside a row's page is read before it is freed. */
const STEP_LENGTH = 4 * 1024 * 1024
const BETWEEN_STEPS_MS = 20

/** Bytes of an empty response. */
const EMPTY = '{}'.length

const rest = (signal: AbortSignal | undefined): Promise<void> =>
  pause(BETWEEN_STEPS_MS, undefined, signal ? { signal } : {}).catch(() => undefined)

/** The SQL of the oldest rows before a moment. */
export const oldestSql = ({ table, moment, order, length }: DatedRows): string =>
  `SELECT id, length FROM (SELECT id, ${length} AS length, ${moment} AS moment FROM ${table} ORDER BY ${order} LIMIT ${STEP})
   WHERE moment < ?`

export function retention(connection: Connection, writer: Writer): Retention {
  const { query } = connection
  return {
    prepareMonths: async () => undefined,
    deleteBefore: async (what, moment, signal) => {
      const rows = DATED[what]
      const oldest = connection.rows<[string], [id: number, length: number]>(oldestSql(rows))
      const remove = query<[string], unknown>(`DELETE FROM ${rows.table} WHERE id IN (SELECT value FROM json_each(?))`)
      const step = (): Some<unknown> => {
        const found = upTo(STEP_LENGTH, oldest.iterate(moment), ([, length]) => length, STEP)
        remove.run(JSON.stringify(found.rows.map(([id]) => id)))
        return found
      }
      let total = 0
      while (!signal?.aborted) {
        const { rows: deleted, isCut } = await writer.write(step)
        total += deleted.length
        if (!isCut) return total
        await rest(signal)
      }
      return total
    },
    clearResponsesBefore: async (moment, signal) => {
      const next = connection.rows<[number, string], [id: number, length: number]>(
        `SELECT id, coalesce(octet_length(remote_response), 0) FROM
           (SELECT id, remote_response, requested_at FROM sms_messages WHERE id > ? ORDER BY id LIMIT ${STEP})
         WHERE requested_at < ?`,
      )
      const clear = query<[number, number, string], unknown>(
        `UPDATE sms_messages SET remote_response = '{}'
         WHERE id BETWEEN ? AND ? AND requested_at < ? AND remote_response <> '{}'`,
      )
      let total = 0
      // Starts from the first each time: a receipt may have come for an old one.
      for (let looked = 0; !signal?.aborted; ) {
        const { rows: found, isCut } = upTo(STEP_LENGTH, next.iterate(looked, moment), ([, length]) => length, STEP)
        const last = found.at(-1)?.[0]
        if (last === undefined) return total
        const after = looked
        if (found.some(([, length]) => length > EMPTY))
          total += await writer.write(() => clear.run(after + 1, last, moment).changes)
        if (!isCut) return total
        looked = last
        await rest(signal)
      }
      return total
    },
  }
}
