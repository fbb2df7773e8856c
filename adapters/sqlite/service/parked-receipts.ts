import { isJsonObject, parseJson, stringifyJson } from '../../../core/json.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Receipt } from '../../../core/sms/message.ts'
import { PARKED, parkedPayload } from '../../../core/sms/parked.ts'
import type { Connection } from '../database/database.ts'

/** The number of senders whose counts are remembered. */
const MAX_REMEMBERED = 10_000

/** A receipt that names no message by id never waits: our reference is known before a message is sent. */
type Parked = Receipt & { readonly externalId: string }

interface ParkedRow {
  readonly id: number
  /** Empty if the receipt gave none, or one that is not text. */
  readonly status: string
  readonly payload: string
}

/** The parked receipts, see `PARKED`. */
export function parkedReceipts(connection: Connection, clock: Clock) {
  const { query, value } = connection
  const makeRoom = roomMaker(connection)
  const insert = query<[number, string, string, string, string, string], unknown>(
    `INSERT INTO parked_receipts (sms_gateway_id, external_message_id, status, payload, received_at, sender)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const waiting = query<[number, string], ParkedRow>(
    `SELECT id, status, payload FROM parked_receipts
     WHERE sms_gateway_id = ? AND external_message_id = ? ORDER BY id`,
  )
  const discard = query<[number], unknown>('DELETE FROM parked_receipts WHERE id = ?')
  const discardBefore = query<[string], unknown>('DELETE FROM parked_receipts WHERE received_at < ?')
  const queued = value<[number], number>(
    `SELECT 1 FROM sms_messages WHERE sms_gateway_id = ? AND delivery_status = 'queued' LIMIT 1`,
  )
  return {
    /** Only a message being sent can have a receipt that comes too early. */
    isWaitedFor: (gatewayId: number): boolean => queued.get(gatewayId) === 1,
    put: (gatewayId: number, receipt: Parked, sender: string): void => {
      makeRoom(gatewayId, sender)
      const { externalId, status } = receipt
      insert.run(gatewayId, externalId, status ?? '', stringifyJson(parkedPayload(receipt)), clock.now(), sender)
    },
    take: (gatewayId: number, externalId: string): Receipt[] =>
      waiting.all(gatewayId, externalId).map(row => {
        discard.run(row.id)
        const payload = parseJson(row.payload)
        return {
          externalId,
          reference: null,
          status: row.status || null,
          payload: isJsonObject(payload) ? payload : {},
          size: row.payload.length,
        }
      }),
    forget: (before: string): number => discardBefore.run(before).changes,
  }
}

/** Drops a sender's oldest receipts if it has too many, or the biggest sender's if the gateway has. */
function roomMaker({ query, value }: Connection): (gatewayId: number, sender: string) => void {
  const dropOldest = query<[number, string], unknown>(
    `DELETE FROM parked_receipts WHERE id IN (
       SELECT id FROM parked_receipts WHERE sms_gateway_id = ? AND sender = ? ORDER BY id LIMIT ${PARKED.dropped})`,
  )
  const biggestSender = value<[number], string>(
    `SELECT sender FROM parked_receipts WHERE sms_gateway_id = ? GROUP BY sender ORDER BY count(*) DESC LIMIT 1`,
  )
  const ofGateway = value<[number], number>('SELECT count(*) FROM parked_receipts WHERE sms_gateway_id = ?')
  const ofSender = value<[number, string], number>(
    'SELECT count(*) FROM parked_receipts WHERE sms_gateway_id = ? AND sender = ?',
  )
  const gatewayCounts = upperBounds<number>(PARKED.perGateway)
  const senderCounts = upperBounds<string>(PARKED.perSender)
  return (gatewayId, sender) => {
    if (senderCounts.isFull(`${gatewayId} ${sender}`, () => ofSender.get(gatewayId, sender) ?? 0))
      dropOldest.run(gatewayId, sender)
    if (gatewayCounts.isFull(gatewayId, () => ofGateway.get(gatewayId) ?? 0))
      dropOldest.run(gatewayId, biggestSender.get(gatewayId) ?? sender)
  }
}

/** Upper bounds of parked receipts by key: counted again only at the limit, since other processes delete some too. */
function upperBounds<K>(max: number) {
  const counts = new Map<K, number>()
  return {
    isFull: (key: K, count: () => number): boolean => {
      const bound = (counts.get(key) ?? max) + 1
      const waits = bound > max ? count() + 1 : bound
      if (counts.size >= MAX_REMEMBERED) counts.clear()
      counts.set(key, waits > max ? waits - PARKED.dropped : waits)
      return waits > max
    },
  }
}
