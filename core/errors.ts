/** Everything that can go wrong. Each transport maps every code once, to an HTTP status or an exit code. */
export type ErrorCode =
  | 'malformed' // the input cannot be read at all
  | 'invalid' // the input breaks rules: `errors` lists them by field
  | 'unauthenticated'
  | 'invalid_credentials'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict' // stored data prevents it: `dependants` counts the records that do
  | 'too_large'
  | 'unsupported_media'
  | 'too_many_attempts'
  | 'busy' // another process holds the database, or a queue is full: try again
  | 'unavailable' // a switch or another program cannot be reached
  | 'outcome_unknown' // the database was lost before it reported whether it stored something
  | 'storage_full'
  | 'read_only' // this user may not write the file or its folder, or may not use the tables of the server
  | 'cannot_create' // no file can be created at that path
  | 'configuration' // a setting is missing or wrong
  | 'outdated' // the database has an older schema: migrate it
  | 'corrupt' // the file is damaged, foreign, or of a newer schema
  | 'internal'

/** The rules that a field can break. Code decides by these, never by the sentence. */
export type Rule =
  | 'required'
  | 'type'
  | 'format'
  | 'min'
  | 'max'
  | 'precision' // the value would be rounded
  | 'concealed' // the value is the mark shown in place of a secret
  | 'constant' // the same field is given twice
  | 'unknown' // there is no such field; `detail.meant` is the nearest one
  | 'reference' // the referenced record does not exist
  | 'ambiguous' // the reference matches several records
  | 'taken' // another stored record has it
  | 'repeated' // a record of the same input has it; `detail.line` says where
  | 'foreign' // it belongs to a different tenant than the record's other references
  | 'joined' // other records tie this one to where it is
  | 'unmovable' // the database cannot move the record there
  | 'unread' // storable, but no rule can read it
  | 'limit' // the parent is full; `detail.max` is how many it holds

/** A broken rule of one field. The sentence is for people and for the API's answers. */
export interface FieldError {
  readonly rule: Rule
  readonly field: string
  readonly sentence: string
  readonly detail?: Readonly<Record<string, string | number>>
}

/** In the order of the declaration. */
export type FieldErrors = readonly FieldError[]

/** Returns the errors as clients get them: sentences by field. */
export function sentencesByField(errors: FieldErrors): Readonly<Record<string, readonly string[]>> {
  const byField: Record<string, string[]> = {}
  for (const { field, sentence } of errors) byField[field] = [...(byField[field] ?? []), sentence]
  return byField
}

/** Returns the errors of one of several records, under its id. */
export function errorsOfRecord(id: number, error: AppError): FieldErrors {
  const { errors = [] } = error.details
  const sentences = errors.length > 0 ? errors : [{ rule: 'reference' as const, field: '', sentence: error.message }]
  return sentences.map(each => ({ ...each, field: String(id) }))
}

export interface ErrorDetails {
  readonly errors?: FieldErrors
  readonly dependants?: Readonly<Record<string, number>>
  /** Seconds after which a retry makes sense. */
  readonly retryAfter?: number
  readonly allow?: readonly string[]
  readonly cause?: unknown
  /** The command or step that fixes the problem, for a person at a terminal. */
  readonly hint?: string
}

export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}

/** Returns the 422 for a request that breaks field rules: the first sentence, and how many more there are. */
export function invalid(errors: FieldErrors): AppError {
  const more = errors.length - 1
  const suffix = more < 1 ? '' : more === 1 ? ' (and 1 more error)' : ` (and ${more} more errors)`
  return new AppError('invalid', `${errors[0]?.sentence ?? 'The given data was invalid.'}${suffix}`, { errors })
}

export const notFound = (label: string): AppError => new AppError('not_found', `${label} not found.`)
