import type { Profile } from '../schema.ts'

/** team-telnyx/telnyx-node@b9b12ca: src/lib/webhooks.ts; developers.telnyx.com. */
export const telnyx: Profile = {
  name: 'telnyx',
  title: 'Telnyx',
  account: [
    { key: 'password', label: 'API key' },
    { key: 'token', label: 'public key of the account, for webhook signatures' },
    { key: 'messaging_profile_id', label: 'messaging profile id, for alphanumeric senders', optional: true },
  ],
  defaults: { server_host: 'api.telnyx.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'v2/messages',
    encoding: 'json',
    number: 'plus',
    auth: { kind: 'header', name: 'authorization', value: 'Bearer {password}' },
    fields: {
      to: '{to}',
      from: '{from}',
      text: '{text}',
      webhook_url: '{receiptUrl}',
      encoding: 'auto',
      messaging_profile_id: '{account.messaging_profile_id}',
    },
  },
  reply: { id: { path: 'data.id' }, error: [{ path: 'errors[0].detail' }, { path: 'errors[0].title' }] },
  receipt: {
    methods: ['POST'],
    encodings: ['json'],
    items: 'data',
    require: [{ path: 'event_type', is: ['message.sent', 'message.finalized'] }],
    id: ['payload.id'],
    status: ['payload.to[0].status'],
    table: {
      delivered: ['delivered'],
      failed: ['delivery_failed', 'sending_failed', 'expired'],
      pending: ['queued', 'sending', 'sent'],
      unknown: ['delivery_unconfirmed'],
    },
    error: ['payload.errors[0].detail', 'payload.errors[0].title'],
  },
  sender: [{ kind: 'ed25519', signature: 'telnyx-signature-ed25519', timestamp: 'telnyx-timestamp', tolerance: 300 }],
  setup: [
    'Nothing to enter, since each message carries its receipt URL. Copy the public key from the portal, under Keys & Credentials.',
  ],
}
