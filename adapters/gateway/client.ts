import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { createFetch, type FetchOptions } from 'ofetch'
import type { SmsGatewayClient } from '../../core/ports/messaging/messages.ts'
import type { Submission } from '../../core/sms/submission.ts'
import { VERSION } from '../../core/version.ts'
import { ENCODINGS, exchanges } from './exchange.ts'

export interface HttpGatewayClient extends SmsGatewayClient {
  close(): Promise<void>
}

/** Hands messages to gateways over HTTP(S): one request each, without redirects or retries. */
export function httpGatewayClient({
  timeoutSeconds,
  caFile: usual = null,
}: {
  timeoutSeconds: number
  caFile?: string | null
}): HttpGatewayClient {
  const wire = exchanges()
  return {
    submit: async (submission, within = timeoutSeconds) => {
      const signal = AbortSignal.timeout(Math.ceil(within * 1000))
      let isWritten = false
      try {
        const ca = certificatesIn(submission.caFile ?? usual)
        const fetch = wire.fetch(() => {
          isWritten = true
        }, ca)
        const response = await createFetch({ fetch }).raw(submission.url, { ...asking(submission), signal })
        return { kind: 'answered', status: response.status, body: response._data ?? '' }
      } catch (error) {
        const late = `The gateway ${isWritten ? 'did not answer' : 'could not be reached'} within ${Math.round(within * 100) / 100} s.`
        return { kind: 'failed', isWritten, exception: signal.aborted ? late : explain(error) }
      }
    },
    close: async () => wire.close(),
  }
}

const asking = ({ method, headers, body, basic }: Submission): FetchOptions<'text'> => ({
  method,
  ...(body === null ? {} : { body }),
  headers: {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
    'accept-encoding': ENCODINGS,
    'user-agent': `trunkline/${VERSION}`,
    ...(basic ? { authorization: authorizationOf(basic) } : {}),
    ...headers,
  },
  retry: 0,
  responseType: 'text',
  ignoreResponseError: true,
})

const authorizationOf = ({ username, password }: NonNullable<Submission['basic']>): string =>
  `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`

/**
 * Returns the certificates that vouch for a gateway besides Node.js's authorities; undefined for those alone. Throws
 * Error.
 */
function certificatesIn(file: string | null): string[] | undefined {
  if (file === null) return undefined
  try {
    return [...rootCertificates, readFileSync(file, 'utf8')]
  } catch {
    throw new Error(`The certificates in ${file} (ca_file) cannot be read.`)
  }
}

/** What to say if one side speaks TLS and the other does not, by error code. */
const MISMATCHES: Readonly<Record<string, string>> = {
  EPROTO: 'The gateway does not speak TLS at this port, or no safe version of it; use_ssl is on.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'The gateway does not speak TLS at this port; use_ssl is on.',
  HPE_INVALID_CONSTANT: 'What answers at this port does not speak HTTP; if it speaks TLS, set use_ssl.',
}

/** Returns the innermost reason: fetch wraps errors of the connection in errors that say nothing. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return explain(error.cause)
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return explain(error.errors[0])
  const mismatch = 'code' in error && typeof error.code === 'string' ? MISMATCHES[error.code] : undefined
  if (mismatch !== undefined) return mismatch
  // The error of a system call already names its code.
  const code = 'code' in error && typeof error.code === 'string' && !('syscall' in error) ? ` (${error.code})` : ''
  return `${error.message || error.name}${code}`
}
