import type { Profile } from '../schema.ts'

/** twilio/twilio-oai@d50069b: twilio_api_v2010.json; twilio/twilio-node@45d3d65: src/webhooks/webhooks.ts. */
export const twilio: Profile = {
  name: 'twilio',
  title: 'Twilio',
  account: [
    { key: 'username', label: 'Account SID' },
    { key: 'password', label: 'Auth Token' },
    { key: 'token', label: 'Auth Token that signs receipts', same: 'password' },
  ],
  defaults: { server_host: 'api.twilio.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: '2010-04-01/Accounts/{username}/Messages.json',
    encoding: 'form',
    number: 'plus',
    auth: { kind: 'basic' },
    fields: { To: '{to}', From: '{from}', Body: '{text}', StatusCallback: '{receiptUrl}' },
    maxCharacters: 1600,
  },
  reply: { id: { path: 'sid' }, error: [{ path: 'message' }, { path: 'error_message' }] },
  receipt: {
    methods: ['POST'],
    encodings: ['form'],
    id: ['MessageSid'],
    status: ['MessageStatus'],
    table: {
      delivered: ['delivered', 'read'],
      failed: ['undelivered', 'failed', 'canceled'],
      pending: ['accepted', 'scheduled', 'queued', 'sending', 'sent', 'partially_delivered'],
    },
    error: ['ErrorCode'],
  },
  sender: [
    {
      kind: 'hmac',
      recipe: 'url-fields',
      algorithm: 'sha1',
      encoding: 'base64',
      signature: 'header:x-twilio-signature',
    },
  ],
  setup: [
    'Nothing to enter, since each message carries its receipt URL. The base_url setting must be the address that Twilio reaches.',
  ],
  unverified: ['SmsSid and SmsStatus in receipts', 'retries of receipts after an error'],
}
