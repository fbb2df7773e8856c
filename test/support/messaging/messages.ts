import type { Messages } from '../../../core/ports/messaging/messages.ts'
import type { Message } from '../../../core/sms/message.ts'

/** A queued message with the given `changes`. */
export const queuedMessage = (changes: Partial<Message> = {}): Message => ({
  id: 1,
  sms_gateway_id: 7,
  tenant_id: null,
  to_number: '+380501234567',
  from_sender: 'ACME',
  message: 'Hello',
  external_message_id: '00000000-0000-4000-8000-000000000001',
  delivery_status: 'queued',
  direction: 'outbound',
  callback_url: 'http://127.0.0.1/dlr',
  remote_response: '{}',
  error_message: null,
  requested_at: '2026-03-01T12:00:00.000000Z',
  submitted_at: null,
  delivered_at: null,
  status_class: 'pending',
  reference: null,
  parts: null,
  part_classes: null,
  tries: null,
  resend_of: null,
  ...changes,
})

/** Stores a message whose send stays in progress for the whole test, so that its gateway's receipts are parked. */
export async function keepSending(messages: Messages, sms_gateway_id: number): Promise<void> {
  const { id: _, ...message } = queuedMessage({ sms_gateway_id })
  await messages.create(message, '9999-12-31T00:00:00.000000Z')
}
