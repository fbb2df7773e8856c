import type { Profile } from '../schema.ts'

/** jookies/jasmin@0aac58e: jasmin/protocols/http/endpoints/send.py, routing/throwers.py, managers/dlr.py. */
export const jasminHttp: Profile = {
  name: 'jasmin-http',
  title: 'Jasmin (HTTP API)',
  account: [
    { key: 'server_host', label: 'host of the HTTP API' },
    { key: 'username', label: 'user name' },
    { key: 'password', label: 'password' },
    { key: 'max_parts', label: 'long_content_max_parts of Jasmin, which cuts longer texts', fallback: '5' },
  ],
  defaults: { server_port: 1401, use_ssl: false },
  request: {
    method: 'POST',
    path: 'send',
    encoding: 'form',
    number: 'plus',
    auth: { kind: 'none' },
    fields: {
      username: '{username}',
      password: '{password}',
      to: '{to}',
      from: '{from}',
      coding: '0',
      content: '{text}',
      dlr: 'yes',
      'dlr-url': '{receiptUrl}',
      'dlr-level': '3',
      'dlr-method': 'POST',
    },
    unicode: { set: { coding: '8', 'hex-content': '{textHexUtf16be}' }, remove: ['content'] },
    maxParts: 5,
  },
  reply: {
    ok: [200],
    tests: [{ path: '', matches: '^Success ' }],
    id: { pattern: 'Success "([0-9A-Za-z-]+)' },
    error: [{ pattern: 'Error "([^"]*)' }],
  },
  receipt: {
    methods: ['POST', 'GET'],
    encodings: ['form', 'query'],
    id: ['id'],
    status: ['message_status'],
    table: {
      delivered: ['delivrd'],
      failed: ['expired', 'deleted', 'undeliv', 'rejectd', 'esme_*'],
      pending: ['acceptd', 'unknown', 'esme_rok'],
    },
    error: ['err'],
    ack: { body: 'ACK/Jasmin' },
  },
  sender: [{ kind: 'url' }],
  setup: [
    'Nothing to enter, since each message carries its receipt URL.',
    'For texts of more than 5 parts, raise long_content_max_parts there, and max_parts here.',
  ],
}
