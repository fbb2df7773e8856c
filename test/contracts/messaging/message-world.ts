import type { Receive } from '../../../core/ports/messaging/messages.ts'
import type { Message, Receipt } from '../../../core/sms/message.ts'
import { listOf } from '../../support/data/rows.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'
import type { Given } from '../contract.ts'

/** Shared by the contracts of messages and of parked receipts. */

type Ports = Given<'messages' | 'records'>

export const GATEWAY = 7
export const DEADLINE = '2026-03-01T12:00:45.000000Z'
/** The number of messages that exist only to be waited for. */
export const WAITING = '+380999999999'
export const SENDER = '192.0.2.1'

export const receipt = (
  externalId: string,
  status: string | null = 'delivrd',
  payload: Receipt['payload'] = {},
): Receipt => ({
  externalId,
  reference: null,
  status,
  payload,
  size: JSON.stringify(payload).length,
})

/** A change of the state that shows the order in which receipts came. */
export const receive: Receive = (message, { status, payload }) => ({
  ...message,
  delivery_status: message.delivery_status === 'submitted' ? String(status) : `${message.delivery_status},${status}`,
  remote_response: JSON.stringify(payload),
})

export const submitAs =
  (external_message_id: string) =>
  (message: Message): Message => ({ ...message, delivery_status: 'submitted', external_message_id })

export async function create({ messages }: Ports, changes: Partial<Message> = {}): Promise<Message> {
  const { id: _, ...message } = queuedMessage(changes)
  return messages.create(message, DEADLINE)
}

/** Receipts are parked during a send: one through each gateway. */
export async function withSends(ports: Ports): Promise<void> {
  for (const sms_gateway_id of [GATEWAY, GATEWAY + 1]) await create(ports, { sms_gateway_id, to_number: WAITING })
}

export const statuses = async ({ records }: Ports): Promise<unknown[]> =>
  (await listOf(records, 'sms_messages'))
    .filter(({ to_number }) => to_number !== WAITING)
    .map(message => message.delivery_status)
