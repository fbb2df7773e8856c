import { isJsonObject, parseJson, stringifyJson } from '../../../core/json.ts'
import type { Receipt } from '../../../core/sms/message.ts'
import { PARKED, parkedPayload } from '../../../core/sms/parked.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'

/** How many senders' counts are cached. */
const MAX_REMEMBERED = 10_000

/** Receipts that name no message by its id never wait: we know our reference before we send a message. */
type Parked = Receipt & {
  readonly externalId: string
  readonly sender: string
  /** Arrival time: receipts that arrive together are stored in any order. */
  readonly now: string
}

interface ParkedRow {
  readonly id: number
  /** Empty if the receipt has no status text. */
  readonly status: string
  readonly payload: string
}

/** The parked receipts, see `PARKED`. */
export function parkedReceipts() {
  const gatewayCounts = upperBounds(PARKED.perGateway)
  const senderCounts = upperBounds(PARKED.perSender)
  return {
    /** A receipt can come too early only if a send is in progress. */
    isWaitedFor: async (within: Queries, gatewayId: number): Promise<boolean> =>
      (await within.value<number>(
        sql`SELECT 1 FROM sms_messages WHERE sms_gateway_id = ${gatewayId} AND delivery_status = 'queued' LIMIT 1`,
      )) === 1,
    /** Announces a receipt; call the returned function once it is stored or has failed. */
    expect: (gatewayId: number, sender: string): (() => void) => {
      const leave = [gatewayCounts.enter(String(gatewayId)), senderCounts.enter(`${gatewayId} ${sender}`)]
      return () => {
        for (const each of leave) each()
      }
    },
    put: async (within: Queries, gatewayId: number, { sender, now, ...receipt }: Parked): Promise<void> => {
      const [ofGateway, ofSender] = [String(gatewayId), `${gatewayId} ${sender}`]
      const isKnown = [gatewayCounts.hasRoom(ofGateway), senderCounts.hasRoom(ofSender)].every(Boolean)
      await lock(within, gatewayId, isKnown)
      if (!isKnown) {
        const waiting = (condition = sql`true`) =>
          within.value<number>(
            sql`SELECT count(*) FROM parked_receipts WHERE sms_gateway_id = ${gatewayId} AND ${condition}`,
          )
        if (senderCounts.isFull(ofSender, (await waiting(sql`sender = ${sender}`)) ?? 0))
          await dropOldest(within, gatewayId, sender)
        if (gatewayCounts.isFull(ofGateway, (await waiting()) ?? 0))
          await dropOldest(within, gatewayId, (await biggestSender(within, gatewayId)) ?? sender)
      }
      const { externalId, status } = receipt
      await within.run(sql`INSERT INTO parked_receipts
        (sms_gateway_id, external_message_id, status, payload, received_at, sender) VALUES (${gatewayId}, ${externalId},
        ${status ?? ''}, ${stringifyJson(parkedPayload(receipt))}, ${now}, ${sender})`)
    },
    take: async (within: Queries, gatewayId: number, externalId: string): Promise<Receipt[]> => {
      if (externalId.includes('\0')) return []
      const rows = await within.rows<ParkedRow>(sql`WITH taken AS (DELETE FROM parked_receipts
          WHERE sms_gateway_id = ${gatewayId} AND external_message_id = ${externalId} RETURNING received_at, id, status, payload)
        SELECT id, status, payload FROM taken ORDER BY received_at, id`)
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
    WHERE sms_gateway_id = ${gatewayId} AND sender = ${sender} ORDER BY received_at, id LIMIT ${raw(String(PARKED.dropped))}
    FOR UPDATE SKIP LOCKED)`)
}

const biggestSender = (within: Queries, gatewayId: number): Promise<string | undefined> =>
  within.value<string>(sql`SELECT sender FROM parked_receipts WHERE sms_gateway_id = ${gatewayId}
    GROUP BY sender ORDER BY count(*) DESC LIMIT 1`)

/** Counting and parking exclude each other. */
async function lock(within: Queries, gatewayId: number, isShared: boolean): Promise<void> {
  const take = raw(isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  await within.run(sql`SELECT ${take}(hashtextextended(${`parked ${gatewayId}`}, 0))`)
}

/**
 * Upper bounds of the receipts that wait, by sender. Counted again only when a bound reaches the limit, since other
 * daemons remove receipts too.
 */
function upperBounds(max: number) {
  const bounds = new Map<string, number>()
  const onTheirWay = new Map<string, number>()
  const add = (key: string, change: number): void => {
    const count = (onTheirWay.get(key) ?? 0) + change
    if (count > 0) onTheirWay.set(key, count)
    else onTheirWay.delete(key)
  }
  return {
    enter: (key: string): (() => void) => {
      add(key, 1)
      return () => add(key, -1)
    },
    /** Is there room for one more, by the known bounds? */
    hasRoom: (key: string): boolean => {
      const bound = (bounds.get(key) ?? max) + 1
      if (bound <= max) bounds.set(key, bound)
      return bound <= max
    },
    /** Is there no room beside the counted receipts? */
    isFull: (key: string, count: number): boolean => {
      const left = count < max ? count : count - PARKED.dropped
      if (bounds.size >= MAX_REMEMBERED) bounds.clear()
      bounds.set(key, left + (onTheirWay.get(key) ?? 1))
      return count >= max
    },
  }
}
