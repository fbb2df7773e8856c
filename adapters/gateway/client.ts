import { createFetch, type FetchOptions } from 'ofetch'
import type { SmsGatewayClient } from '../../core/ports/messages.ts'
import type { Submission } from '../../core/sms/submission.ts'
import { VERSION } from '../../core/version.ts'
import { ENCODINGS, exchanges } from './exchange.ts'

export interface HttpGatewayClient extends SmsGatewayClient {
  close(): Promise<void>
}

/** Hands messages to gateways over HTTP(S): one request each, no redirect followed, nothing tried twice. */
export function httpGatewayClient({ timeoutSeconds }: { timeoutSeconds: number }): HttpGatewayClient {
  const wire = exchanges()
  return {
    submit: async submission => {
      const signal = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000))
      let isWritten = false
      const fetch = wire.fetch(() => {
        isWritten = true
      })
      try {
        const response = await createFetch({ fetch }).raw(submission.url, { ...asking(submission), signal })
        return { kind: 'answered', status: response.status, body: response._data ?? '' }
      } catch (error) {
        const late = `The gateway ${isWritten ? 'did not answer' : 'could not be reached'} within ${timeoutSeconds} s.`
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

/** The innermost reason: fetch wraps what happened on the wire in errors that say nothing. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return explain(error.cause)
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return explain(error.errors[0])
  // What a system call reports names its code already.
  const code = 'code' in error && typeof error.code === 'string' && !('syscall' in error) ? ` (${error.code})` : ''
  return `${error.message || error.name}${code}`
}
