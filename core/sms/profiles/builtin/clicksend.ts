import type { Profile } from '../schema.ts'

/** ClickSend/clicksend-python-v2@9f72913. */
export const clicksend: Profile = {
  name: 'clicksend',
  title: 'ClickSend v3',
  account: [
    { key: 'username', label: 'user name' },
    { key: 'password', label: 'API key' },
    { key: 'token', label: 'secret in the receipt URL (any random text)' },
  ],
  defaults: { server_host: 'rest.clicksend.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'v3/sms/send',
    encoding: 'json',
    number: 'plus',
    auth: { kind: 'basic' },
    fields: {
      messages: [{ source: 'trunkline', from: '{from}', to: '{to}', body: '{text}', custom_string: '{reference}' }],
    },
  },
  reply: {
    tests: [{ path: 'data.messages[0].status', is: ['SUCCESS'] }],
    id: { path: 'data.messages[0].message_id' },
    error: [{ path: 'data.messages[0].status' }, { path: 'response_msg' }],
  },
  receipt: {
    methods: ['POST'],
    encodings: ['form', 'json'],
    id: ['message_id'],
    reference: ['custom_string'],
    status: ['status_code'],
    table: { delivered: ['201'], failed: ['301', '302'], pending: ['200', '300'] },
    error: ['error_text', 'status_text'],
  },
  sender: [{ kind: 'url' }],
  setup: ['Create an SMS delivery receipt rule of the account with the action URL: {receiptUrl}'],
  unverified: ['status codes other than 201', 'the form of receipts'],
}
