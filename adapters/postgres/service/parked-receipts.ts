import { isJsonObject, parseJson, stringifyJson } from '../../../core/json.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Receipt } from '../../../core/sms/message.ts'
import { PARKED, parkedPayload } from '../../../core/sms/parked.ts'
import type { Queries } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'

/** How many senders' counts are remembered. */
const MAX_REMEMBERED = 10_000

/** Those that name no message by its id never wait: our reference is known before a message is sent. */
type Parked = Receipt & { readonly externalId: string }

interface ParkedRow {
  readonly id: number
  /** Empty where the receipt gave none that is text. */
  readonly status: string
  readonly payload: string
}

/** The receipts that are parked, see `PARKED`. */
export function parkedReceipts(clock: Clock) {
  const gatewayCounts = upperBounds<number>(PARKED.perGateway)
  const senderCounts = upperBounds<string>(PARKED.perSender)
  return {
    /** Only a message whose send is under way can have a receipt that comes too early. */
    isWaitedFor: async (within: Queries, gatewayId: number): Promise<boolean> =>
      (await within.value<number>(
        sql`SELECT 1 FROM sms_messages WHERE sms_gateway_id = ${gatewayId} AND delivery_status = 'queued' LIMIT 1`,
      )) === 1,
    put: async (within: Queries, gatewayId: number, receipt: Parked, sender: string): Promise<void> => {
      const waiting = (condition = sql`true`) =>
        within
          .value<number>(sql`SELECT count(*) FROM parked_receipts WHERE sms_gateway_id = ${gatewayId} AND ${condition}`)
          .then(count => count ?? 0)
      if (await senderCounts.isFull(`${gatewayId} ${sender}`, () => waiting(sql`sender = ${sender}`)))
        await dropOldest(within, gatewayId, sender)
      if (await gatewayCounts.isFull(gatewayId, waiting))
        await dropOldest(within, gatewayId, (await biggestSender(within, gatewayId)) ?? sender)
      const { externalId, status } = receipt
      await within.run(sql`INSERT INTO parked_receipts
        (sms_gateway_id, external_message_id, status, payload, received_at, sender) VALUES (${gatewayId}, ${externalId},
        ${status ?? ''}, ${stringifyJson(parkedPayload(receipt))}, ${clock.now()}, ${sender})`)
    },
    take: async (within: Queries, gatewayId: number, externalId: string): Promise<Receipt[]> => {
      if (externalId.includes('\0')) return []
      const rows = await within.rows<ParkedRow>(sql`WITH taken AS (DELETE FROM parked_receipts
          WHERE sms_gateway_id = ${gatewayId} AND external_message_id = ${externalId} RETURNING id, status, payload)
        SELECT * FROM taken ORDER BY id`)
      return rows.map(({ status, payload: text }) => {
        const payload = parseJson(text)
        return {
          ...{ externalId, reference: null, status: status || null, size: text.length },
          payload: isJsonObject(payload) ? payload : {},
        }
      })
    },
    forget: (queries: Queries, before: string): Promise<number> =>
      queries.run(sql`DELETE FROM parked_receipts WHERE received_at < ${before}`),
  }
}

async function dropOldest(within: Queries, gatewayId: number, sender: string): Promise<void> {
  await within.run(sql`DELETE FROM parked_receipts WHERE id IN (SELECT id FROM parked_receipts
    WHERE sms_gateway_id = ${gatewayId} AND sender = ${sender} ORDER BY id LIMIT ${raw(String(PARKED.dropped))}
    FOR UPDATE SKIP LOCKED)`)
}

const biggestSender = (within: Queries, gatewayId: number): Promise<string | undefined> =>
  within.value<string>(sql`SELECT sender FROM parked_receipts WHERE sms_gateway_id = ${gatewayId}
    GROUP BY sender ORDER BY count(*) DESC LIMIT 1`)

/** How many wait, at most, by whom: counted again only when that is too many, since others take away as well. */
function upperBounds<K>(max: number) {
  const counts = new Map<K, number>()
  return {
    isFull: async (key: K, count: () => Promise<number>): Promise<boolean> => {
      const bound = (counts.get(key) ?? max) + 1
      if (counts.size >= MAX_REMEMBERED) counts.clear()
      if (bound <= max) {
        counts.set(key, bound)
        return false
      }
      const waits = (await count()) + 1
      counts.set(key, waits > max ? waits - PARKED.dropped : waits)
      return waits > max
    },
  }
}
