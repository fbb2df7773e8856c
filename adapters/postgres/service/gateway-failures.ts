import type { Queries } from '../database/queries.ts'
import { sql } from '../database/sql.ts'

/** Counts the consecutive failed sends of a gateway, in the transaction that stores their outcome. */
export async function failed(within: Queries, gatewayId: number): Promise<void> {
  // The gateway may have been deleted meanwhile.
  await within.run(sql`INSERT INTO gateway_failures SELECT id, 1 FROM sms_gateways WHERE id = ${gatewayId}
    ON CONFLICT (gateway_id) DO UPDATE SET in_a_row = gateway_failures.in_a_row + 1`)
}

export async function wentWell(within: Queries, gatewayId: number): Promise<void> {
  await within.run(sql`DELETE FROM gateway_failures WHERE gateway_id = ${gatewayId}`)
}
