import type { Profile } from '../schema.ts'

/** pruiz/kannel@cdbcfc1: gw/smsbox.c, doc/userguide; 1.4.5 run on loopback. */
export const kannel: Profile = {
  name: 'kannel',
  title: 'Kannel',
  account: [
    { key: 'server_host', label: 'host of the smsbox' },
    { key: 'username', label: 'user name of the sendsms-user' },
    { key: 'password', label: 'password of the sendsms-user' },
    { key: 'max_parts', label: 'max-messages of the sendsms-user, past which Kannel cuts texts', fallback: '1' },
  ],
  defaults: { server_port: 13013, use_ssl: false },
  request: {
    method: 'GET',
    path: 'cgi-bin/sendsms',
    encoding: 'query',
    number: 'plus',
    auth: { kind: 'none' },
    fields: {
      username: '{username}',
      password: '{password}',
      to: '{to}',
      from: '{from}',
      charset: 'UTF-8',
      coding: '0',
      text: '{text}',
      'dlr-mask': '31',
      'dlr-url': '{receiptUrl}',
    },
    unicode: { set: { coding: '2' } },
    maxParts: 1,
    receiptQuery: { status: '%d', answer: '%A', smsc_message: '%F', kannel_id: '%I', smsc: '%i', time: '%T' },
  },
  reply: {
    ok: [202],
    tests: [{ path: '', matches: '^(?:0: |3: |Sent\\.)' }],
    id: 'none',
    error: [{ pattern: '^([\\s\\S]+)$' }],
  },
  receipt: {
    methods: ['GET'],
    encodings: ['query'],
    status: ['status'],
    table: { delivered: ['1'], failed: ['2', '16'], pending: ['4', '8', '32'] },
    error: ['answer'],
  },
  sender: [{ kind: 'url' }],
  setup: [
    'For long texts, give the sendsms-user max-messages above 1 and concatenation = true, and raise max_parts here.',
    'Set http-request-retry above 0 in the smsbox group: with its default of 0, a receipt that is not taken is lost.',
  ],
}
