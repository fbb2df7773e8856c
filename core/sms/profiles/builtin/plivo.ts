import type { Profile } from '../schema.ts'

/** plivo/plivo-node@4889b05: lib/utils/security.js, v3Security.js; docs.plivo.com. */
export const plivo: Profile = {
  name: 'plivo',
  title: 'Plivo',
  account: [
    { key: 'username', label: 'Auth ID' },
    { key: 'password', label: 'Auth Token' },
    { key: 'token', label: 'Auth Token that signs receipts', same: 'password' },
  ],
  defaults: { server_host: 'api.plivo.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'v1/Account/{username}/Message/',
    encoding: 'json',
    number: 'digits',
    auth: { kind: 'basic' },
    fields: { src: '{from}', dst: '{to}', text: '{text}', url: '{receiptUrl}', method: 'POST' },
    maxParts: 11,
  },
  reply: {
    tests: [{ path: 'message_uuid[*]', matches: '.' }],
    id: { path: 'message_uuid[*]' },
    error: [{ path: 'error' }, { path: 'invalid_number[*]' }, { path: 'message' }],
  },
  receipt: {
    methods: ['POST', 'GET'],
    encodings: ['form', 'query'],
    id: ['MessageUUID'],
    status: ['Status'],
    table: {
      delivered: ['delivered'],
      failed: ['failed', 'undelivered', 'rejected'],
      pending: ['queued', 'sent'],
    },
    error: ['ErrorCode'],
  },
  sender: [
    {
      kind: 'hmac',
      recipe: 'url-query-fields-nonce',
      algorithm: 'sha256',
      encoding: 'base64',
      signature: 'header:x-plivo-signature-v3',
      headers: { nonce: 'x-plivo-signature-v3-nonce' },
    },
    {
      kind: 'hmac',
      recipe: 'url-nonce',
      algorithm: 'sha256',
      encoding: 'base64',
      signature: 'header:x-plivo-signature-v2',
      headers: { nonce: 'x-plivo-signature-v2-nonce' },
    },
  ],
  setup: ['Nothing to enter, since each message carries its receipt URL.'],
  unverified: ['the HTTP status of success', 'whether message receipts carry the V3 signature'],
}
