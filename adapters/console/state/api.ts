import { signal } from '@preact/signals'
import { isJsonObject, parseJson, stringifyJson } from '../../../core/json.ts'

/** Sentences by field. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

/** An answer other than success. */
export class Refusal extends Error {
  readonly status: number
  readonly errors: FieldErrors
  /** The number of records of each kind that prevent a deletion. */
  readonly dependants: Readonly<Record<string, number>>
  /** Seconds until another try makes sense. */
  readonly retryAfter: number | null

  constructor(status: number, body: unknown, retryAfter: string | null) {
    const { message, errors, dependants } = isJsonObject(body) ? body : {}
    super(typeof message === 'string' ? message : `The service answered ${status}.`)
    this.status = status
    this.errors = isJsonObject(errors) ? Object.fromEntries(Object.entries(errors).map(([k, v]) => [k, texts(v)])) : {}
    this.dependants = isJsonObject(dependants)
      ? Object.fromEntries(Object.entries(dependants).map(([name, count]) => [name, Number(count)]))
      : {}
    this.retryAfter = retryAfter === null ? null : Number(retryAfter)
  }
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [String(value)])

/** A request without an answer. `mayBeDone`: it would have changed something, and perhaps it has. */
export class Unreached extends Error {
  readonly mayBeDone: boolean

  constructor(mayBeDone: boolean) {
    super(
      mayBeDone
        ? 'The connection was lost before the service answered: it is not known whether this was done.'
        : 'The service cannot be reached.',
    )
    this.mayBeDone = mayBeDone
  }
}

/** False while the service cannot be reached. */
export const isReachable = signal(true)

/** Asks for a password over whatever is shown; resolves once somebody is signed in. Set by the session. */
let signInAgain: () => Promise<void> = () => Promise.reject(new Error('Nobody can be asked to sign in.'))
export const onSignedOut = (ask: typeof signInAgain): void => {
  signInAgain = ask
}

export interface Answer {
  /** The `data` of the answer. */
  readonly data: unknown
  readonly message: string
  readonly headers: Headers
}

export interface RequestOptions {
  readonly json?: unknown
  /** Sent unchanged if there is no `json`. */
  readonly body?: Blob
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** True if a 401 is a proper answer, rather than the end of a session. */
  readonly isSigningIn?: boolean
}

/** Sends one request to the service. Throws Refusal, Unreached, and the reason of an abort. */
export async function request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await reach(method, path, options)
  if (response.status === 401 && !options.isSigningIn) {
    // Nothing was done, so the same request may be sent again.
    await signInAgain()
    return request(method, path, options)
  }
  const body = await response.text().then(parsed, () => {
    throw new Unreached(method !== 'GET')
  })
  if (!response.ok) throw new Refusal(response.status, body, response.headers.get('retry-after'))
  const { data, message } = isJsonObject(body) ? body : {}
  return { data, message: String(message ?? ''), headers: response.headers }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

async function reach(method: string, path: string, { json, body, headers, signal }: RequestOptions): Promise<Response> {
  try {
    const response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? (body ? { body } : {}) : { body: stringifyJson(json) }),
      ...(signal ? { signal } : {}),
    })
    isReachable.value = true
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    isReachable.value = false
    throw new Unreached(method !== 'GET')
  }
}

export const get = async (path: string, signal?: AbortSignal): Promise<unknown> =>
  (await request('GET', path, signal ? { signal } : {})).data

/** A record as the service shows it. */
export type RecordData = Readonly<Record<string, unknown>> & { readonly id: number }

export const asRecord = (value: unknown): RecordData => {
  if (!isJsonObject(value) || typeof value.id !== 'number') throw new Error('The service sent no record.')
  return { ...value, id: value.id }
}

export const asRecords = (value: unknown): RecordData[] => (Array.isArray(value) ? value.map(asRecord) : [])
