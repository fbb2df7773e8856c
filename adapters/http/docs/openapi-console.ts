import { ROLE_MODES } from '../../../core/access/modes.ts'
import { AUDIT_ACTIONS } from '../../../core/audit.ts'
import { ROLES } from '../../../core/ports/accounts.ts'
import { USAGE_GROUPS } from '../../../core/ports/calls.ts'
import { resources } from '../../../core/resources/all.ts'
import { collectionOf } from '../../../core/resources/resource.ts'
import { quoteFields, rerateFields, resendFields } from '../console/tool-routes.ts'
import { accountOperations } from './openapi-accounts.ts'
import { JSON_TYPE, type Operation, type Parameter, success } from './openapi-operations.ts'
import { idSchema, inputSchema, objectOf, type Schema } from './openapi-schemas.ts'

const TAG = 'Console'

const text: Schema = { type: 'string' }
const record: Schema = { type: 'object', additionalProperties: true, examples: [{ name: 'Sales' }] }

const COLLECTION: Parameter = {
  name: 'collection',
  in: 'path',
  schema: { type: 'string', enum: resources.map(collectionOf) },
  description: 'The kind of record. Any other is a 404.',
}
const ID: Parameter = { name: 'id', in: 'path', schema: idSchema, description: 'The id of one record.' }

const query = (name: string, schema: Schema, description: string): Parameter => ({
  name,
  in: 'query',
  schema,
  description,
})

const CHOICE: readonly Parameter[] = [
  query('search', { type: 'string', maxLength: 255 }, 'Only records with this text, in any case.'),
  query('tenant', idSchema, 'Only records of this tenant.'),
  query('from', text, 'Only records of this moment or later, if records are ordered by time.'),
  query('to', text, 'Only records from before this moment.'),
  query('unrated', { type: 'string', enum: ['true'] }, 'Only calls that are unrated.'),
]

const PART: readonly Parameter[] = [
  query('sort', text, 'A number or date that every record has; with a minus, descending.'),
  query('limit', { type: 'integer', minimum: 1, maximum: 1000 }, 'The most records to return; default: 200.'),
  query('after', idSchema, 'The part that follows the record of this id.'),
]

const FILTERS =
  '`filter[FIELD]=VALUE` filters by a field that is neither secret nor JSON, and may be repeated for several values; `min[FIELD]` by the least amount.'

const IDS: Schema = {
  type: 'object',
  properties: { ids: { type: 'array', maxItems: 1000, items: idSchema } },
  examples: [{ ids: [1, 2] }],
}

/** The answer of an operation, whose message names the kind of record. */
const answer = (status: number, data: Schema | null, headers?: Readonly<Record<string, string>>) => ({
  status,
  description: 'Done.',
  content: { [JSON_TYPE]: objectOf({ message: text, ...(data ? { data } : {}) }) },
  ...(headers ? { headers } : {}),
})

/** The console's operations, by method and path. */
export const consoleOperations: Readonly<Record<string, Operation>> = {
  'GET /api/console/me': {
    id: 'consoleMe',
    tag: TAG,
    summary: 'Show who is logged in, and what the account may do',
    description:
      'A permission is `operation:subject`: `read`, `create`, `change`, `delete`, `send` or `reveal` (show secrets), and a kind of record or another part of the service. Everything else is answered with 403.',
    success: success(
      200,
      'Account loaded.',
      objectOf({
        name: { type: 'string', examples: ['Carol'] },
        email: { type: 'string', examples: ['carol@example.com'] },
        role: { type: 'string', enum: [...ROLES], examples: ['manager'] },
        roles: { type: 'string', enum: [...ROLE_MODES], description: 'Are roles enforced?' },
        tenant: {
          anyOf: [objectOf({ id: idSchema, name: text, slug: text, timezone: text }), { type: 'null' }],
          description: 'The tenant whose records alone the account sees and changes; null for all.',
        },
        permissions: { type: 'array', items: { type: 'string' }, examples: [['read:tenants', 'change:extensions']] },
      }),
    ),
  },
  'GET /api/console/records/:collection': {
    id: 'consoleList',
    tag: TAG,
    summary: 'List a part of the records of any kind',
    description: `Without secrets. ${FILTERS}`,
    parameters: [COLLECTION, ...CHOICE, ...PART],
    success: answer(200, { type: 'array', items: record }, { 'X-Next-After': 'The `after` of the next part, if any.' }),
  },
  'POST /api/console/records/:collection': {
    id: 'consoleCreate',
    tag: TAG,
    summary: 'Create one record of any kind',
    description: 'Devices, agents and routes too, which have no endpoint of their own.',
    parameters: [COLLECTION],
    body: { [JSON_TYPE]: record },
    success: answer(201, record),
  },
  'PATCH /api/console/records/:collection': {
    id: 'consoleChangeAll',
    tag: TAG,
    summary: 'Change the named fields of several records, all of them or none',
    description: 'Up to 1,000 in one transaction. A 422 names what is wrong with each record under its id.',
    parameters: [COLLECTION],
    body: {
      [JSON_TYPE]: {
        ...objectOf({ ids: { type: 'array', maxItems: 1000, items: idSchema }, change: record }),
        examples: [{ ids: [1, 2], change: { status: 'inactive' } }],
      },
    },
    success: answer(200, objectOf({ changed: { type: 'integer' } })),
  },
  'GET /api/console/records/:collection/count': {
    id: 'consoleCount',
    tag: TAG,
    summary: 'Count the records of a list',
    description: `Up to 10,001; null for a search. ${FILTERS}`,
    parameters: [COLLECTION, ...CHOICE],
    success: answer(200, objectOf({ count: { type: ['integer', 'null'] } })),
  },
  'GET /api/console/records/:collection/:id': {
    id: 'consoleShow',
    tag: TAG,
    summary: 'Show one record without its long arrays',
    parameters: [COLLECTION, ID],
    success: answer(200, record, { ETag: 'Changes whenever a value of the record does.' }),
  },
  'PATCH /api/console/records/:collection/:id': {
    id: 'consoleChange',
    tag: TAG,
    summary: 'Change the named fields of one record',
    description: 'With `If-Match`, only while nobody else has changed it: else 409.',
    parameters: [COLLECTION, ID],
    body: { [JSON_TYPE]: record },
    success: answer(200, record),
    failures: [409],
  },
  'DELETE /api/console/records/:collection/:id': {
    id: 'consoleDelete',
    tag: TAG,
    summary: 'Delete one record',
    parameters: [
      COLLECTION,
      ID,
      query('cascade', { type: 'string', enum: ['true', 'false'] }, 'With `true`, its dependants are deleted too.'),
    ],
    success: answer(200, null),
    failures: [409],
  },
  'POST /api/console/records/:collection/:id/secrets': {
    id: 'consoleSecrets',
    tag: TAG,
    summary: 'Show the secrets of one record',
    description: 'The audit trail notes who has seen them.',
    parameters: [COLLECTION, ID],
    success: answer(200, record),
  },
  'GET /api/console/pulse': {
    id: 'consolePulse',
    tag: TAG,
    summary: 'Show the figures of the moment',
    description:
      'Calls of the last hour, unrated calls, the messages of the last 24 hours, imports and exports that wait or run; of the whole service, records in quarantine, bytes of feeds that are not stored yet, registered telephones and the newest backup. An account of one tenant gets the figures of its tenant, with `service` null.',
    success: answer(200, record),
  },
  'POST /api/console/quote': {
    id: 'consoleQuote',
    tag: TAG,
    summary: 'Explain what a call costs',
    description: '`lines` explains it step by step.',
    body: { [JSON_TYPE]: inputSchema(quoteFields, { whole: true }) },
    success: answer(200, record),
    failures: [404],
  },
  'GET /api/console/usage': {
    id: 'consoleUsage',
    tag: TAG,
    summary: "Report a month's calls",
    description: 'Of one tenant, or of each, in its own time zone.',
    parameters: [
      query('month', { type: 'string', examples: ['2026-10'] }, 'The month, as YYYY-MM.'),
      query('by', { type: 'string', enum: [...USAGE_GROUPS] }, 'A line for each.'),
      query('tenant', idSchema, 'Only this tenant.'),
    ],
    success: answer(200, record),
    failures: [422],
  },
  'POST /api/console/calls/rerate': {
    id: 'consoleRerate',
    tag: TAG,
    summary: 'Rate the calls of a tenant again',
    description:
      'Each by the rates that were in force when it began, as those are now. Of a month, or from one day of the time zone of the tenant to before another, or of all time. With `dry_run` nothing is changed. `changes` holds the first fifty.',
    body: { [JSON_TYPE]: inputSchema(rerateFields, { whole: true }) },
    success: answer(200, record),
    failures: [404],
  },
  'POST /api/console/messages/:id/resend': {
    id: 'consoleResend',
    tag: TAG,
    summary: 'Send a failed message again, as a new one',
    description: 'Answers 409 for a message that may have arrived, unless `force` is true.',
    parameters: [ID],
    body: { [JSON_TYPE]: inputSchema(resendFields, { whole: true }) },
    success: answer(200, record),
    failures: [404, 409],
  },
  'GET /api/console/calls/:id/ratings': {
    id: 'consoleRatings',
    tag: TAG,
    summary: 'Show how a call was rated, the current rating last',
    parameters: [ID],
    success: answer(200, { type: 'array', items: record }),
  },
  'GET /api/console/audit': {
    id: 'consoleAudit',
    tag: TAG,
    summary: 'Show the audit trail, latest first',
    description: 'A hundred entries; `is_more` says that more follow.',
    parameters: [
      query('actor', text, 'Only what they did.'),
      query('action', { type: 'string', enum: [...AUDIT_ACTIONS] }, 'Only this action.'),
      query('resource', text, 'Only changes of records of this resource, such as `tenants`.'),
      query('record', idSchema, 'Only changes of the record with this id.'),
      query('before', idSchema, 'Only entries that are older than the one of this id.'),
      query('security', { type: 'string', enum: ['true'] }, 'Only what concerns security.'),
    ],
    success: answer(200, record),
    failures: [422],
  },
  'GET /api/console/quarantine': {
    id: 'consoleQuarantine',
    tag: TAG,
    summary: 'Show the unusable records of switches, oldest first',
    description: 'A hundred of them; `is_more` says that there are more.',
    parameters: [
      query('reason', text, 'Only those whose reason contains this.'),
      query('feed', text, 'Only those of this feed.'),
    ],
    success: answer(200, record),
  },
  'POST /api/console/quarantine/replay': {
    id: 'consoleReplay',
    tag: TAG,
    summary: 'Retry records in the quarantine',
    body: { [JSON_TYPE]: IDS },
    success: answer(200, objectOf({ replayed: { type: 'integer' }, left: { type: 'integer' } })),
  },
  'POST /api/console/quarantine/discard': {
    id: 'consoleDiscard',
    tag: TAG,
    summary: 'Delete records of the quarantine for good',
    body: { [JSON_TYPE]: IDS },
    success: answer(200, objectOf({ discarded: { type: 'integer' } })),
  },
  ...accountOperations,
}
