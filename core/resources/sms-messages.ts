import { date, json, refersTo, rules, text } from './field.ts'
import { resource } from './resource.ts'

/** What a send leaves behind. Records are made by sending alone; they outlive their gateway. */
export const smsMessages = resource({
  name: 'sms_messages',
  label: 'SMS message',
  order: 'created_at',
  fields: {
    sms_gateway_id: refersTo('sms_gateways', 'keep'),
    tenant_id: refersTo('tenants', 'clear', { optional: true }),
    to_number: text(30),
    from_sender: text(30),
    message: text(1000),
    external_message_id: text(255),
    delivery_status: text(255),
    direction: text(50),
    callback_url: text(null),
    remote_response: json(),
    error_message: text(null, { optional: true }),
    requested_at: date(),
    submitted_at: date({ optional: true }),
    delivered_at: date({ optional: true }),
  },
})

/** The body of a send request. */
export const sendFields = {
  to_number: text(30, { rule: rules.e164, examples: ['+380501234567'] }),
  from_sender: text(30, { rule: rules.sender, examples: ['ACME'] }),
  message: text(1000, { examples: ['Your table is booked for 19:30.'] }),
  tenant_id: refersTo('tenants', 'clear', { optional: true }),
  callback_url: text(2048, { optional: true, rule: rules.httpUrl }),
}
