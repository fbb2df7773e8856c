import { ROLES } from '../../../core/ports/accounts.ts'
import { smsGateways } from '../../../core/resources/sms-gateways.ts'
import { sendFields, smsMessages } from '../../../core/resources/sms-messages.ts'
import { smsRoutes } from '../../../core/resources/sms-routes.ts'
import { loginFields } from '../../../core/use-cases/accounts/sign-in.ts'
import { wording } from '../resource-routes.ts'
import { consoleOperations } from './openapi-console.ts'
import { jobOperations } from './openapi-jobs.ts'
import { envelope, idParameter, JSON_TYPE, listOf, NEXT, type Operation, PAGE, success } from './openapi-operations.ts'
import { idSchema, inputSchema, objectOf, refToRecord, type Schema } from './openapi-schemas.ts'

const text: Schema = { type: 'string' }

const RECEIPT: Schema = {
  ...objectOf({ message_id: text, id: text, messageId: text, status: text, message_status: text }, []),
  additionalProperties: true,
  description:
    'The message is named by the first of `message_id`, `id` and `messageId`; its status by the first of `status` and `message_status`, else it is `delivered`. Everything is merged into `remote_response`.',
  examples: [{ message_id: '07033084-5cfd-4812-90a4-e4d24ffb6e3d', status: 'DELIVRD', done_date: '2610011930' }],
}

const receipt = (id: string, summary: string): Operation => ({
  id,
  tag: smsGateways.plural,
  summary,
  description:
    'Answers 200 whatever the body, and whether or not a message matched; a gateway whose `meta` has `dlr_token_in` must give its `callback_token` there.',
  parameters: [idParameter(smsGateways)],
  body: { [JSON_TYPE]: RECEIPT, 'application/x-www-form-urlencoded': RECEIPT, 'multipart/form-data': RECEIPT },
  success: {
    status: 200,
    description: 'DLR received, or the text in the `dlr_ack` of the gateway when a message matched.',
    content: { [JSON_TYPE]: envelope('DLR received'), 'text/plain': { type: 'string', examples: ['ACK/Jasmin'] } },
  },
  failures: [403, 503, 507],
})

const ROUTE = objectOf({
  id: idSchema,
  tenant_id: { type: ['integer', 'null'], examples: [null] },
  prefix: { type: 'string', examples: ['380'] },
  gateways: { type: 'array', items: idSchema, examples: [[1]] },
})

const name: Schema = { type: 'string', examples: ['Administrator'] }
const email: Schema = { type: 'string', examples: ['admin@example.com'] }
const SESSION_TAG = 'Session'
const SERVICE_TAG = 'Service'

/** The operations that no declaration describes, by method and path of the route. */
export const specialOperations: Readonly<Record<string, Operation>> = {
  ...consoleOperations,
  ...jobOperations,
  'POST /api/admin/login': {
    id: 'login',
    tag: SESSION_TAG,
    summary: 'Log in',
    description: 'Starts a session and ends the one that the request came with.',
    body: { [JSON_TYPE]: inputSchema(loginFields, { whole: true }) },
    success: success(
      200,
      'Login successful.',
      objectOf({ name, email, role: { type: 'string', enum: [...ROLES], examples: [ROLES[0]] } }),
      { 'Set-Cookie': 'The session cookie.' },
    ),
    failures: [429],
    invalid: 'credentials',
  },
  'POST /api/admin/logout': {
    id: 'logout',
    tag: SESSION_TAG,
    summary: 'Log out',
    success: success(200, 'Logged out successfully.'),
  },
  'GET /api/admin/me': {
    id: 'me',
    tag: SESSION_TAG,
    summary: 'Show who is logged in',
    success: success(
      200,
      'Authenticated user loaded.',
      objectOf({ name, email, logged_in: { type: 'boolean', const: true } }),
    ),
  },
  'GET /api/sms-gateways/:id/messages': {
    id: 'listSmsMessages',
    tag: smsMessages.plural,
    summary: 'List the SMS messages of a gateway',
    description: `By \`${smsMessages.order}\`, the latest first.`,
    parameters: [idParameter(smsGateways), ...PAGE],
    success: success(200, wording.listed(smsMessages), listOf(smsMessages, 'plain'), NEXT),
  },
  'POST /api/sms-gateways/:id/send': {
    id: 'sendSmsMessage',
    tag: smsMessages.plural,
    summary: 'Send an SMS message through a gateway',
    description: 'A failing gateway is not an error: the record says `failed`, with `error_message`.',
    parameters: [idParameter(smsGateways)],
    body: { [JSON_TYPE]: inputSchema(sendFields, { whole: true }) },
    success: success(200, 'SMS request processed.', refToRecord(smsMessages, 'plain')),
  },
  'GET /api/sms-routes': {
    id: 'listSmsRoutes',
    tag: smsRoutes.plural,
    summary: 'List the routes of messages that name no gateway',
    description: 'By tenant, then by prefix.',
    success: success(200, wording.listed(smsRoutes), { type: 'array', items: ROUTE }),
  },
  'PUT /api/sms-routes': {
    id: 'setSmsRoute',
    tag: smsRoutes.plural,
    summary: 'Set the gateways of a tenant, of a prefix, or of all',
    description:
      'Replaces the route of the same tenant and prefix. Without `tenant_id` it applies to all tenants, without `prefix` to all numbers.',
    body: { [JSON_TYPE]: inputSchema(smsRoutes.fields, { whole: true }) },
    success: success(200, wording.updated(smsRoutes), ROUTE),
  },
  'DELETE /api/sms-routes/:id': {
    id: 'deleteSmsRoute',
    tag: smsRoutes.plural,
    summary: 'Delete one SMS route',
    parameters: [idParameter(smsRoutes)],
    success: success(200, wording.deleted(smsRoutes)),
  },
  'POST /api/sms-routes/send': {
    id: 'sendSmsMessageByRoute',
    tag: smsMessages.plural,
    summary: 'Send an SMS message through the gateways of its route',
    description:
      "The tenant's own routes precede those for all tenants, and among these the longest prefix wins. If a gateway certainly refuses the message, the next is tried; if no route fits, the answer is a 404.",
    body: { [JSON_TYPE]: inputSchema(sendFields, { whole: true }) },
    success: success(200, 'SMS request processed.', refToRecord(smsMessages, 'plain')),
    failures: [404],
  },
  'POST /api/sms-gateways/:id/dlr': receipt('receiveReceipt', 'Take a delivery receipt'),
  'POST /webhooks/gateway/:id/dlr': receipt('receiveReceiptByAlias', 'Take a delivery receipt, under another path'),
  'GET /healthz': {
    id: 'healthz',
    tag: SERVICE_TAG,
    summary: 'Show whether the process lives',
    success: success(200, 'Alive.'),
  },
  'GET /readyz': {
    id: 'readyz',
    tag: SERVICE_TAG,
    summary: 'Show whether the database can be written',
    success: success(
      200,
      'Ready.',
      objectOf({ beaten_at: { type: 'string', format: 'date-time', examples: ['2026-10-01T12:00:00.000000Z'] } }),
    ),
    failures: [503],
  },
  'GET /openapi.json': {
    id: 'openapi',
    tag: SERVICE_TAG,
    summary: 'Describe the API: this document',
    success: {
      status: 200,
      description: 'An OpenAPI document.',
      content: { [JSON_TYPE]: { type: 'object', required: ['openapi', 'info', 'paths'], additionalProperties: true } },
    },
  },
  'GET /docs': {
    id: 'docs',
    tag: SERVICE_TAG,
    summary: 'Show the API as a page',
    success: { status: 200, description: 'A page.', content: { 'text/html': text } },
  },
  'GET /docs/reference.css': {
    id: 'docsStyle',
    tag: SERVICE_TAG,
    summary: 'Serve the style sheet of that page',
    success: { status: 200, description: 'A style sheet.', content: { 'text/css': text } },
  },
}
