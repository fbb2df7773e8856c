import type { Gauges } from '../../../core/ports/upkeep.ts'
import type { Connection } from '../database/database.ts'
import { sizeOf } from './maintenance.ts'

export const gauges = ({ path, query }: Connection): Gauges => ({
  server: async () => null,
  logBytes: async () => sizeOf(`${path}-wal`),
  parkedReceipts: async () =>
    query<[], { gateway: number; count: number }>(
      'SELECT sms_gateway_id AS gateway, count(*) AS count FROM parked_receipts GROUP BY sms_gateway_id',
    ).all(),
})
