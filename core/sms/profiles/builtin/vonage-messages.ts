import type { Profile } from '../schema.ts'

/** Vonage/vonage-node-sdk@babd2d8: packages/messages, packages/jwt. */
export const vonageMessages: Profile = {
  name: 'vonage-messages',
  title: 'Vonage Messages API (Basic)',
  account: [
    { key: 'username', label: 'API key' },
    { key: 'password', label: 'API secret' },
    { key: 'token', label: 'signature secret of the account' },
  ],
  defaults: { server_host: 'api.nexmo.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'v1/messages',
    encoding: 'json',
    number: 'digits',
    auth: { kind: 'basic' },
    fields: {
      message_type: 'text',
      channel: 'sms',
      to: '{to}',
      from: '{from}',
      text: '{text}',
      client_ref: '{reference}',
      webhook_url: '{receiptUrl}',
      webhook_version: 'v1',
      sms: { encoding_type: 'auto' },
    },
    maxCharacters: 1000,
  },
  reply: { id: { path: 'message_uuid' }, error: [{ path: 'detail' }, { path: 'title' }] },
  receipt: {
    methods: ['POST'],
    encodings: ['json'],
    id: ['message_uuid'],
    reference: ['client_ref'],
    status: ['status'],
    table: { delivered: ['delivered'], failed: ['rejected', 'undeliverable'], pending: ['submitted'] },
    error: ['error.title'],
  },
  sender: [{ kind: 'jwt', header: 'authorization', bodyHash: 'payload_hash' }],
  setup: [
    'Each message carries its receipt URL. If none arrive, enter it in the dashboard as the status URL: {receiptUrl}',
  ],
  unverified: [
    'whether webhook_url is honoured with Basic authentication',
    'the form of errors',
    'the payload_hash claim of the signature',
  ],
}
