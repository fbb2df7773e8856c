import type { Profile } from '../schema.ts'

/** Nexmo/api-specification@ad04200: definitions/sms.yml; Vonage/vonage-python-sdk@b308cb1: http_client auth.py. */
export const vonageSms: Profile = {
  name: 'vonage-sms',
  title: 'Vonage SMS API',
  account: [
    { key: 'username', label: 'API key' },
    { key: 'password', label: 'API secret' },
    { key: 'token', label: 'secret in the receipt URL (any random text)' },
  ],
  defaults: { server_host: 'rest.nexmo.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'sms/json',
    encoding: 'form',
    number: 'digits',
    auth: { kind: 'none' },
    fields: {
      api_key: '{username}',
      api_secret: '{password}',
      to: '{to}',
      from: '{from}',
      text: '{text}',
      type: 'text',
      'client-ref': '{reference}',
      callback: '{receiptUrl}',
      'status-report-req': '1',
    },
    unicode: { set: { type: 'unicode' } },
    maxCharacters: 3200,
  },
  reply: {
    tests: [{ path: 'messages[*].status', is: ['0'] }],
    id: { path: 'messages[*].message-id' },
    error: [{ path: 'messages[*].error-text' }],
  },
  receipt: {
    methods: ['POST', 'GET'],
    encodings: ['json', 'form', 'query'],
    id: ['messageId'],
    reference: ['client-ref'],
    status: ['status'],
    table: {
      delivered: ['delivered'],
      failed: ['expired', 'failed', 'rejected'],
      pending: ['accepted', 'buffered'],
      unknown: ['unknown'],
    },
    error: ['err-code'],
  },
  sender: [
    { kind: 'url' },
    {
      kind: 'hmac',
      recipe: 'name-values',
      algorithm: 'sha256',
      encoding: 'hex',
      signature: 'field:sig',
      tolerance: 300,
    },
  ],
  setup: [
    'Nothing to enter, since each message carries its receipt URL, with the secret in it.',
    'Where support has enabled signed webhooks (SHA-256 HMAC), the secret is the signature secret instead.',
  ],
  unverified: ['whether receipts come as GET, form or JSON: it is a setting of the account, and all three are read'],
}
