import type { Profile } from '../schema.ts'

/** Bandwidth/python-sdk@ba8d157: bandwidth.yml; dev.bandwidth.com/docs/messaging/webhooks. */
export const bandwidth: Profile = {
  name: 'bandwidth',
  title: 'Bandwidth (Basic)',
  account: [
    { key: 'account_id', label: 'account id' },
    { key: 'application_id', label: 'id of the messaging application' },
    { key: 'username', label: 'API user name' },
    { key: 'password', label: 'API password' },
    { key: 'token', label: 'callback credentials as user:password, or any random text for the URL' },
  ],
  defaults: { server_host: 'messaging.bandwidth.com', server_port: 443, use_ssl: true },
  request: {
    method: 'POST',
    path: 'api/v2/users/{account.account_id}/messages',
    encoding: 'json',
    number: 'plus',
    auth: { kind: 'basic' },
    fields: {
      applicationId: '{account.application_id}',
      to: ['{to}'],
      from: '{from}',
      text: '{text}',
      tag: '{reference}',
    },
    maxCharacters: 2048,
  },
  reply: {
    id: { path: 'id' },
    error: [{ path: 'fieldErrors[0].description' }, { path: 'description' }],
  },
  receipt: {
    methods: ['POST'],
    encodings: ['json'],
    require: [{ path: 'type', matches: '^message-(?:delivered|failed|sending|sent)$' }],
    id: ['message.id'],
    reference: ['message.tag'],
    status: ['type'],
    table: {
      delivered: ['message-delivered'],
      failed: ['message-failed'],
      pending: ['message-sending', 'message-sent'],
    },
    error: ['description'],
  },
  sender: [{ kind: 'basic' }, { kind: 'url' }],
  setup: ['Enter as the callback URL of the messaging application: {receiptUrl}'],
  unverified: [
    'that text outside GSM-7 and long text are handled by themselves',
    'callback credentials of the application',
  ],
}
