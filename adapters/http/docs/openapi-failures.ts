import { objectOf, refTo, type Schema } from './openapi-schemas.ts'

/** How an operation can fail. */
export interface Failure {
  readonly name: string
  readonly description: string
  readonly schema?: Schema
  readonly example: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, Schema>>
}

const text: Schema = { type: 'string' }
const sentences: Schema = { type: 'array', items: text, minItems: 1 }
const seconds: Schema = { type: 'integer', minimum: 1 }

export const errorSchemas: Readonly<Record<string, Schema>> = {
  Error: objectOf({ message: text }),
  ValidationError: objectOf({ message: text, errors: { type: 'object', additionalProperties: sentences } }),
  Dependants: objectOf({
    message: text,
    dependants: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
  }),
}

/** By status, except a login's 422 and the default. */
export const failures: Readonly<Record<string, Failure>> = {
  400: {
    name: 'Malformed',
    description: 'The body cannot be read.',
    example: { message: 'The request body is not valid JSON.' },
  },
  401: { name: 'Unauthorized', description: 'There is no valid session.', example: { message: 'Unauthorized.' } },
  403: {
    name: 'Forbidden',
    description:
      'The request comes from another origin, the account may not do this, or a receipt lacks its callback token.',
    example: { message: 'Requests from another origin are refused.' },
  },
  404: { name: 'NotFound', description: 'There is no such record.', example: { message: 'Tenant not found.' } },
  409: {
    name: 'Conflict',
    description: 'Other records depend on this one; nothing was deleted.',
    schema: refTo('Dependants'),
    example: { message: 'The tenant still has 3 Extensions.', dependants: { extensions: 3 } },
  },
  413: {
    name: 'TooLarge',
    description: 'The body is larger than 1 MiB, or that of a login than 4 KiB.',
    example: { message: 'The request body is larger than 1 MiB.' },
  },
  415: {
    name: 'UnsupportedMedia',
    description: 'The body is not JSON, or in an encoding that is not supported.',
    example: { message: 'The request body must be JSON, with Content-Type: application/json.' },
  },
  422: {
    name: 'Invalid',
    description: 'Rules are broken: `errors` lists them by field.',
    schema: refTo('ValidationError'),
    example: { message: 'The name field is required.', errors: { name: ['The name field is required.'] } },
  },
  credentials: {
    name: 'InvalidLogin',
    description: 'No enabled account has these credentials; or rules are broken, listed in `errors`.',
    schema: { anyOf: [refTo('ValidationError'), refTo('Error')] },
    example: { message: 'Invalid credentials.' },
  },
  429: {
    name: 'TooManyAttempts',
    description: 'Too many logins failed.',
    example: { message: 'Too Many Attempts.' },
    headers: { 'Retry-After': seconds },
  },
  503: {
    name: 'Unavailable',
    description: 'The database or the queue of logins is busy, or the database cannot be written.',
    example: { message: 'The database is busy; try again in a moment.' },
    headers: { 'Retry-After': seconds },
  },
  507: {
    name: 'StorageFull',
    description: 'The disk is full; nothing was stored.',
    example: { message: 'The disk is full; nothing was stored.' },
  },
  default: {
    name: 'Other',
    description: 'Anything else that goes wrong.',
    example: { message: 'Server Error.' },
  },
}
