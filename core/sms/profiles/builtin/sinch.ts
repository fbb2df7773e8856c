import type { Profile } from '../schema.ts'

/** sinch/sinch-sdk-node@affb35e: packages/sms, sdk-client authorization.helper.ts; developers.sinch.com. */
export const sinch: Profile = {
  name: 'sinch',
  title: 'Sinch SMS',
  account: [
    { key: 'server_host', label: 'host of the region, such as eu.sms.api.sinch.com', fallback: 'eu.sms.api.sinch.com' },
    { key: 'service_plan_id', label: 'service plan id' },
    { key: 'password', label: 'API token' },
    { key: 'token', label: 'webhook secret, or any random text for the URL' },
  ],
  defaults: { server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'xms/v1/{account.service_plan_id}/batches',
    encoding: 'json',
    number: 'digits',
    auth: { kind: 'header', name: 'authorization', value: 'Bearer {password}' },
    fields: {
      to: ['{to}'],
      from: '{from}',
      body: '{text}',
      type: 'mt_text',
      delivery_report: 'per_recipient',
      callback_url: '{receiptUrl}',
      client_reference: '{reference}',
    },
  },
  reply: { id: { path: 'id' }, error: [{ path: 'text' }, { path: 'code' }] },
  receipt: {
    methods: ['POST'],
    encodings: ['json'],
    require: [{ path: 'type', is: ['recipient_delivery_report_sms'] }],
    id: ['batch_id'],
    reference: ['client_reference'],
    status: ['status'],
    table: {
      delivered: ['delivered'],
      failed: ['aborted', 'cancelled', 'rejected', 'deleted', 'failed', 'expired'],
      pending: ['queued', 'dispatched'],
      unknown: ['unknown'],
    },
    error: ['code'],
  },
  sender: [
    { kind: 'url' },
    {
      kind: 'hmac',
      recipe: 'body-nonce-timestamp',
      algorithm: 'sha256',
      encoding: 'base64',
      signature: 'header:x-sinch-webhook-signature',
      headers: { nonce: 'x-sinch-webhook-signature-nonce', timestamp: 'x-sinch-webhook-signature-timestamp' },
      tolerance: 300,
    },
  ],
  setup: ['Nothing to enter, since each message carries its receipt URL, with the secret in it.'],
  unverified: ['the HTTP status of success', 'that text outside GSM-7 and long text are handled by themselves'],
}
