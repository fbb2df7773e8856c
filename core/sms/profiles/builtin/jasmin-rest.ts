import type { Profile } from '../schema.ts'

/** jookies/jasmin@0aac58e: jasmin/protocols/rest/api.py, routing/throwers.py, managers/dlr.py. */
export const jasminRest: Profile = {
  name: 'jasmin-rest',
  title: 'Jasmin (REST API)',
  account: [
    { key: 'server_host', label: 'host of the REST API' },
    { key: 'username', label: 'user name' },
    { key: 'password', label: 'password' },
    { key: 'max_parts', label: 'long_content_max_parts of Jasmin, which cuts longer texts', fallback: '5' },
  ],
  defaults: { server_port: 8080, use_ssl: false },
  request: {
    method: 'POST',
    path: 'secure/send',
    encoding: 'json',
    number: 'plus',
    auth: { kind: 'basic' },
    fields: {
      to: '{to}',
      from: '{from}',
      content: '{text}',
      'dlr-url': '{receiptUrl}',
      'dlr-level': '3',
      'dlr-method': 'POST',
    },
    unicode: { set: { coding: '8', 'hex-content': '{textHexUtf16be}' }, remove: ['content'] },
    maxParts: 5,
  },
  reply: {
    ok: [200],
    id: { path: 'data', pattern: 'Success "([0-9A-Za-z-]+)' },
    error: [
      { path: 'message', pattern: 'Error "([^"]*)' },
      { path: 'message' },
      { path: 'title' },
      { path: 'description' },
    ],
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
