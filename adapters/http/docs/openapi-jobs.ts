import { JOB_STATES } from '../../../core/jobs/job.ts'
import { resources } from '../../../core/resources/all.ts'
import { collectionOf } from '../../../core/resources/resource.ts'
import { FORMATS } from '../../../core/transfer/formats.ts'
import { MODES, ON_ERROR } from '../../../core/transfer/options.ts'
import { PART_TYPE } from '../console/job-routes.ts'
import { JSON_TYPE, type Operation, type Parameter } from './openapi-operations.ts'
import { idSchema, objectOf, type Schema } from './openapi-schemas.ts'

const TAG = 'Imports and exports'

const text: Schema = { type: 'string' }
const number: Schema = { type: 'integer' }
const flag: Schema = { type: 'boolean' }
const ID: Parameter = { name: 'id', in: 'path', schema: idSchema, description: 'The id of an upload or a job.' }
const COLLECTION: Parameter = {
  name: 'collection',
  in: 'path',
  schema: { type: 'string', enum: resources.map(collectionOf) },
  description: 'The kind of record. Any other is a 404.',
}

const upload = objectOf({
  id: idSchema,
  name: { type: 'string', examples: ['deck.csv'] },
  bytes: { type: 'integer', examples: [1_048_576] },
  offset: { type: 'integer', description: 'How many bytes are there.', examples: [524_288] },
})

const job: Schema = {
  ...objectOf(
    {
      id: idSchema,
      kind: { type: 'string', enum: ['import', 'export'] },
      collection: text,
      state: { type: 'string', enum: [...JOB_STATES], description: 'interrupted: the service ended while it ran.' },
      progress: objectOf({ bytes: number, rows: number, rejected: number }),
      failure: { type: ['string', 'null'], description: 'Why it failed or stopped.' },
      by: text,
      is_own: { type: 'boolean', description: 'Only the account that owns it can download its files.' },
    },
    ['id', 'kind', 'collection', 'state', 'progress', 'failure'],
  ),
  additionalProperties: true,
}

const answer = (status: number, data: Schema | null) => ({
  status,
  description: 'Done.',
  content: { [JSON_TYPE]: objectOf({ message: text, ...(data ? { data } : {}) }) },
})

const IMPORT: Schema = {
  ...objectOf(
    {
      upload: { ...idSchema, description: 'A complete upload of the same account.' },
      format: { type: 'string', enum: [...FORMATS], description: 'Default: by the name of the file.' },
      tenant: { ...idSchema, description: 'The tenant of all records.' },
      map: {
        type: 'object',
        additionalProperties: text,
        description: 'The field of each column with another name; an empty one is ignored.',
        examples: [{ Price: 'cost_per_minute', Note: '' }],
      },
      set: { type: 'object', additionalProperties: text, description: 'Values that all records have.', examples: [{}] },
      mode: {
        type: 'string',
        enum: [...MODES],
        description: 'What happens to records that exist: refused, changed, skipped; or the deck is replaced.',
      },
      on_error: { type: 'string', enum: [...ON_ERROR] },
      dry_run: { type: 'boolean', description: 'Check everything, change nothing.' },
      agreed: {
        type: 'object',
        additionalProperties: number,
        description: 'With the mode replace: the counts of a dry run. If the outcome would differ, nothing is stored.',
      },
      effective: { type: 'string', description: 'With the mode replace: when the deck takes effect.' },
      allow_empty: flag,
      decimal_comma: flag,
      delimiter: text,
      force: flag,
      resume: {
        type: 'string',
        enum: ['continue', 'restart'],
        description: 'If an earlier import of the same file stopped: continue it, or start over.',
      },
    },
    ['upload'],
  ),
  examples: [{ upload: 1, tenant: 1, map: { Price: 'cost_per_minute', Note: '' }, mode: 'upsert', dry_run: true }],
}

const EXPORT: Schema = {
  ...objectOf(
    {
      format: { type: 'string', enum: [...FORMATS] },
      secrets: { type: 'boolean', description: 'With secrets, which the audit trail notes.' },
      escape_formulas: flag,
      bom: flag,
      delimiter: text,
    },
    [],
  ),
  examples: [{ format: 'csv', secrets: false }],
}

/** The operations on imports and exports, by method and path. */
export const jobOperations: Readonly<Record<string, Operation>> = {
  'POST /api/console/uploads': {
    id: 'uploadBegin',
    tag: TAG,
    summary: 'Begin the upload of a file',
    description:
      'At most 1 GiB, and 2 GiB of an account in all. An upload that is not used for a day is deleted. The daemon may be restarted meanwhile.',
    body: {
      [JSON_TYPE]: { ...objectOf({ name: text, bytes: number }), examples: [{ name: 'deck.csv', bytes: 1_048_576 }] },
    },
    success: answer(201, upload),
    failures: [409, 413, 507],
  },
  'GET /api/console/uploads/:id': {
    id: 'uploadOffset',
    tag: TAG,
    summary: 'Show how much of a file has arrived',
    description: 'In the header `Upload-Offset` too, also for HEAD.',
    parameters: [ID],
    success: answer(200, upload),
  },
  'PATCH /api/console/uploads/:id': {
    id: 'uploadPart',
    tag: TAG,
    summary: 'Send a part of a file',
    description:
      'The header `Upload-Offset` says how many bytes are there already; a different number is a 409. If the connection breaks, the bytes that arrived stay.',
    parameters: [ID],
    body: {
      [PART_TYPE]: { type: 'string', contentMediaType: PART_TYPE, examples: ['prefix,destination,cost_per_minute'] },
    },
    success: answer(200, upload),
    failures: [403, 409, 413, 415, 507],
  },
  'DELETE /api/console/uploads/:id': {
    id: 'uploadDelete',
    tag: TAG,
    summary: 'Delete an upload',
    parameters: [ID],
    success: answer(200, null),
    failures: [403],
  },
  'POST /api/console/imports/:collection': {
    id: 'importBegin',
    tag: TAG,
    summary: 'Import an uploaded file, or check it',
    description: 'As `trunkline … import` does, with the same rules, errors and entries in the audit trail.',
    parameters: [COLLECTION],
    body: { [JSON_TYPE]: IMPORT },
    success: answer(201, job),
    failures: [409],
  },
  'POST /api/console/exports/:collection': {
    id: 'exportBegin',
    tag: TAG,
    summary: 'Export the records of a list, all of them',
    description: 'The query chooses records as it does for the list. Records are those of one moment.',
    parameters: [COLLECTION],
    body: { [JSON_TYPE]: EXPORT },
    success: answer(201, job),
    failures: [409],
  },
  'GET /api/console/jobs': {
    id: 'jobList',
    tag: TAG,
    summary: 'List imports and exports, the latest first',
    description: 'For a day after they ended. An account of one tenant sees those of accounts of that tenant.',
    success: answer(200, { type: 'array', items: job }),
  },
  'GET /api/console/jobs/:id': {
    id: 'jobShow',
    tag: TAG,
    summary: 'Show the progress or outcome of a job',
    parameters: [ID],
    success: answer(200, job),
  },
  'DELETE /api/console/jobs/:id': {
    id: 'jobDelete',
    tag: TAG,
    summary: 'Delete a job that is over, and its files',
    parameters: [ID],
    success: answer(200, null),
    failures: [409],
  },
  'POST /api/console/jobs/:id/stop': {
    id: 'jobStop',
    tag: TAG,
    summary: 'Stop a job',
    description: 'Of an import of calls, what is stored stays; of any other, nothing is stored.',
    parameters: [ID],
    success: answer(200, job),
  },
  'POST /api/console/jobs/:id/resume': {
    id: 'jobResume',
    tag: TAG,
    summary: 'Resume an import that stopped',
    parameters: [ID],
    success: answer(200, job),
    failures: [403, 409],
  },
  'GET /api/console/jobs/:id/errors': {
    id: 'jobErrors',
    tag: TAG,
    summary: 'Show the errors of an import, each with its line',
    description: 'Two hundred at once; `next` is the `from` of those that follow.',
    parameters: [ID, { name: 'from', in: 'query', schema: number, description: 'The `next` of the page before.' }],
    success: answer(
      200,
      objectOf({
        errors: { type: 'array', items: { type: 'object', additionalProperties: true } },
        next: { type: ['integer', 'null'] },
      }),
    ),
  },
  'GET /api/console/jobs/:id/file': {
    id: 'jobFile',
    tag: TAG,
    summary: 'Download the rejected rows of an import, or what an export wrote',
    parameters: [ID],
    success: {
      status: 200,
      description: 'A file.',
      content: { 'text/csv': text, [JSON_TYPE]: {}, 'application/x-ndjson': text },
    },
  },
}
