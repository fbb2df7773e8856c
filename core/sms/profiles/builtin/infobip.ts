import type { Profile } from '../schema.ts'

/** infobip/infobip-api-python-client@5419238; infobip.com/docs (message status codes, subscriptions). */
export const infobip: Profile = {
  name: 'infobip',
  title: 'Infobip (SMS API v3)',
  account: [
    { key: 'server_host', label: 'base URL of the account, such as abc123.api.infobip.com' },
    { key: 'password', label: 'API key' },
    { key: 'token', label: 'secret in the receipt URL (any random text)' },
  ],
  defaults: { server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'sms/3/messages',
    encoding: 'json',
    number: 'digits',
    auth: { kind: 'header', name: 'authorization', value: 'App {password}' },
    fields: {
      messages: [
        {
          sender: '{from}',
          destinations: [{ to: '{to}', messageId: '{reference}' }],
          content: { text: '{text}' },
          webhooks: {
            delivery: { url: '{receiptUrl}', intermediateReport: false },
            contentType: 'application/json',
            callbackData: '{reference}',
          },
        },
      ],
    },
  },
  reply: {
    tests: [{ path: 'messages[*].status.groupName', is: ['PENDING', 'ACCEPTED', 'DELIVERED'] }],
    id: { path: 'messages[*].messageId' },
    error: [{ path: 'messages[*].status.description' }, { path: 'messages[*].status.name' }, { path: 'description' }],
  },
  receipt: {
    methods: ['POST'],
    encodings: ['json'],
    items: 'results',
    id: ['messageId'],
    reference: ['callbackData'],
    status: ['status.name', 'status.groupName'],
    table: {
      delivered: ['delivered_to_handset', 'delivered'],
      failed: ['undeliverable', 'expired', 'rejected'],
      pending: ['delivered_to_operator', 'pending', 'accepted'],
    },
    error: ['error.name'],
  },
  sender: [{ kind: 'url' }],
  setup: ['Nothing to enter, since each message carries its receipt URL, with the secret in it.'],
  unverified: ['the prefix App of the API key'],
}
