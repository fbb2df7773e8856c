import type { Connection } from '../database/database.ts'

/** Counts the sends in a row that a gateway has failed, in the transaction that stores their outcome. */
export function gatewayFailures({ query }: Connection) {
  // The gateway may have been deleted meanwhile.
  const add = query<[number], unknown>(
    `INSERT INTO gateway_failures SELECT id, 1 FROM sms_gateways WHERE id = ?
     ON CONFLICT (gateway_id) DO UPDATE SET in_a_row = in_a_row + 1`,
  )
  const forget = query<[number], unknown>('DELETE FROM gateway_failures WHERE gateway_id = ?')
  return {
    failed: (gatewayId: number): void => void add.run(gatewayId),
    wentWell: (gatewayId: number): void => void forget.run(gatewayId),
  }
}
