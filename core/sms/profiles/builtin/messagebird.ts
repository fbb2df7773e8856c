import type { Profile } from '../schema.ts'

/** messagebird/messagebird-nodejs@2d8b7de: lib/webhook-signature-jwt.js. */
export const messagebird: Profile = {
  name: 'messagebird',
  title: 'MessageBird (REST API before 2024)',
  account: [
    { key: 'password', label: 'access key' },
    { key: 'token', label: 'signing key' },
  ],
  defaults: { server_host: 'rest.messagebird.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'messages',
    encoding: 'json',
    number: 'digits',
    auth: { kind: 'header', name: 'authorization', value: 'AccessKey {password}' },
    fields: {
      originator: '{from}',
      recipients: ['{to}'],
      body: '{text}',
      datacoding: 'auto',
      reference: '{reference}',
      reportUrl: '{receiptUrl}',
    },
  },
  reply: { id: { path: 'id' }, error: [{ path: 'errors[0].description' }] },
  receipt: {
    methods: ['GET'],
    encodings: ['query'],
    id: ['id'],
    reference: ['reference'],
    status: ['status'],
    table: {
      delivered: ['delivered'],
      failed: ['expired', 'delivery_failed'],
      pending: ['scheduled', 'sent', 'buffered'],
    },
    error: ['statusErrorCode'],
  },
  sender: [{ kind: 'jwt', header: 'messagebird-signature-jwt', urlHash: 'url_hash', bodyHash: 'payload_hash' }],
  setup: [
    'Nothing to enter, since each message carries its receipt URL. Copy the signing key from the developer settings.',
  ],
  unverified: ['how often receipts are repeated'],
}
