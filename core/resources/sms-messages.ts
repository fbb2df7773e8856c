import { STATUS_CLASSES } from '../sms/status-class.ts'
import { date, integer, json, refersTo, text } from './field.ts'
import { type Resource, resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

/** Kept beside a message; the HTTP API does not show it. */
const keptWithMessages = {
  /** What the message's status means; null for a word that no table lists. */
  status_class: text(20, { optional: true, rule: rules.oneOf(...STATUS_CLASSES) }),
  /** Our own reference, sent along wherever the provider returns one. */
  reference: text(64, { optional: true }),
  /** The number of parts that the text takes on the air. */
  parts: integer({ optional: true, min: 1 }),
  /** If the provider gave several ids: the status class of each. */
  part_classes: json(),
  /** The gateways that refused it before, in order: `[{gateway, at, error}]`. */
  tries: json(),
  /** The message that this one resends. */
  resend_of: integer({ optional: true, min: 1 }),
}

/** Messages that were sent. Only sending creates records; they outlive their gateway. */
export const smsMessages = resource({
  name: 'sms_messages',
  label: 'SMS message',
  order: 'created_at',
  brief: ['to_number', 'delivery_status', 'error_message', 'requested_at'],
  fields: {
    sms_gateway_id: refersTo('sms_gateways', 'keep'),
    tenant_id: refersTo('tenants', 'clear', { optional: true }),
    to_number: text(30, { examples: ['+380501234567'] }),
    from_sender: text(30, { examples: ['ACME'] }),
    message: text(1000, { examples: ['Your table is booked for 19:30.'] }),
    external_message_id: text(255, { examples: ['07033084-5cfd-4812-90a4-e4d24ffb6e3d'] }),
    delivery_status: text(255, { examples: ['submitted'] }),
    direction: text(50, { examples: ['outbound'] }),
    callback_url: text(null, { secretQuery: true, examples: ['https://pbx.example.com/api/sms-gateways/1/dlr'] }),
    remote_response: json(),
    error_message: text(null, { optional: true, examples: ['HTTP 503: try again later'] }),
    requested_at: date(),
    submitted_at: date({ optional: true }),
    delivered_at: date({ optional: true }),
  },
  kept: keptWithMessages,
  chosenBy: ['status_class'],
})

/** Messages with everything kept beside them. */
export const wholeMessages = {
  ...smsMessages,
  brief: ['to_number', 'delivery_status', 'status_class', 'error_message', 'requested_at'],
  fields: { ...smsMessages.fields, ...keptWithMessages },
} satisfies Resource

/** The body of a send request. */
export const sendFields = {
  to_number: text(30, { rule: rules.e164, examples: ['+380501234567'] }),
  from_sender: text(30, { rule: rules.sender, examples: ['ACME'] }),
  message: text(1000, { examples: ['Your table is booked for 19:30.'] }),
  tenant_id: refersTo('tenants', 'clear', { optional: true }),
  callback_url: text(2048, {
    optional: true,
    rule: rules.httpUrl,
    examples: ['https://pbx.example.com/api/sms-gateways/1/dlr'],
  }),
}
