import { STATUS_CLASSES } from '../sms/status-class.ts'
import { date, integer, json, refersTo, text } from './field.ts'
import { type Resource, resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

/** What is kept beside a message. The HTTP API does not show it. */
const keptWithMessages = {
  /** What the message means by its status; null for a word that no table has. */
  status_class: text(20, { optional: true, rule: rules.oneOf(...STATUS_CLASSES) }),
  /** Our own name for it, which goes out with it wherever its provider carries one back. */
  reference: text(64, { optional: true }),
  /** How many parts the text takes on the air. */
  parts: integer({ optional: true, min: 1 }),
  /** Where the provider gave several ids: what each of them came to. */
  part_classes: json(),
  /** The gateways that refused it before, in order: `[{gateway, at, error}]`. */
  tries: json(),
  /** The message that this one sends again. */
  resend_of: integer({ optional: true, min: 1 }),
}

/** What a send leaves behind. Records are made by sending alone; they outlive their gateway. */
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
})

/** Messages with all that is kept of them. */
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
