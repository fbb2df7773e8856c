import type { Connection } from './database.ts'
import { sizeOf } from './maintenance.ts'

/** What an operator watches of the file. */
export interface Figures {
  /** The write-ahead log's size. */
  walBytes(): number
  /** How many receipts wait for their message, by gateway. */
  parkedReceipts(): { readonly gateway: number; readonly count: number }[]
}

export function figures({ path, query }: Connection): Figures {
  const parked = query<[], { gateway: number; count: number }>(
    'SELECT sms_gateway_id AS gateway, count(*) AS count FROM parked_receipts GROUP BY sms_gateway_id',
  )
  return {
    walBytes: () => sizeOf(`${path}-wal`),
    parkedReceipts: () => parked.all(),
  }
}
