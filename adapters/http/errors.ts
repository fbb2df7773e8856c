import { AppError, type ErrorCode, sentencesByField } from '../../core/errors.ts'

const STATUS: Readonly<Record<ErrorCode, number>> = {
  malformed: 400,
  invalid: 422,
  unauthenticated: 401,
  invalid_credentials: 422,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  too_many_attempts: 429,
  busy: 503,
  unavailable: 503,
  outcome_unknown: 503,
  storage_full: 507,
  read_only: 503,
  cannot_create: 500,
  configuration: 500,
  outdated: 503,
  corrupt: 503,
  internal: 500,
}

export interface Failure {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** Returns what the client gets; an unexpected error reveals nothing. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof AppError)) return { status: 500, headers: {}, body: { message: 'Server Error.' } }
  const { errors, dependants, retryAfter, allow } = error.details
  return {
    status: STATUS[error.code],
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(allow ? { allow: allow.join(', ') } : {}),
    },
    body: {
      message: error.message,
      // Clients must distinguish this 503 from those after which they may retry.
      ...(error.code === 'outcome_unknown' ? { code: error.code } : {}),
      ...(errors ? { errors: sentencesByField(errors) } : {}),
      ...(dependants ? { dependants } : {}),
    },
  }
}
