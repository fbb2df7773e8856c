import type { Profile } from '../schema.ts'

/** messagebird/bird-sdk-typescript@0d5cc9a. */
export const bird: Profile = {
  name: 'bird',
  title: 'Bird',
  account: [
    { key: 'server_host', label: 'host of the region', fallback: 'eu1.platform.bird.com' },
    { key: 'password', label: 'API key (bk_…)' },
    { key: 'token', label: 'signing secret of the webhook (whsec_…)' },
    { key: 'category', label: 'category of the messages', fallback: 'transactional' },
  ],
  defaults: { server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'v1/sms/messages',
    encoding: 'json',
    number: 'plus',
    auth: { kind: 'header', name: 'authorization', value: 'Bearer {password}' },
    headers: { 'idempotency-key': '{reference}' },
    fields: {
      to: '{to}',
      from: '{from}',
      text: '{text}',
      category: '{account.category}',
      metadata: { ref: '{reference}' },
    },
    maxParts: 12,
  },
  reply: { id: { path: 'id' }, error: [{ path: 'error.message' }, { path: 'error.code' }] },
  receipt: {
    methods: ['POST'],
    encodings: ['json'],
    require: [{ path: 'type', matches: '^sms\\.(?:delivered|failed|rejected|expired|accepted|sent|undelivered)$' }],
    id: ['data.sms_id'],
    reference: ['data.metadata.ref'],
    status: ['type'],
    table: {
      delivered: ['sms.delivered'],
      failed: ['sms.failed', 'sms.rejected', 'sms.expired'],
      pending: ['sms.accepted', 'sms.sent', 'sms.undelivered'],
    },
    error: ['data.error.message', 'data.error.code'],
  },
  sender: [
    {
      kind: 'hmac',
      recipe: 'id-timestamp-body',
      algorithm: 'sha256',
      encoding: 'base64',
      signature: 'header:webhook-signature',
      headers: { id: 'webhook-id', timestamp: 'webhook-timestamp' },
      keyPrefix: 'whsec_',
      tolerance: 300,
    },
  ],
  setup: ['Create a webhook of the workspace for the sms.* events, with this URL: {receiptUrl}'],
}
