import { type FetchOptions, ofetch } from 'ofetch'
import { Agent } from 'undici'
import type { GatewayReply, SmsGatewayClient } from '../../core/ports/messages.ts'
import type { Submission } from '../../core/sms/message.ts'
import { guardedConnector } from './targets.ts'

/** At most so much of a reply is read, in bytes; the rest is left. */
const MAX_REPLY = 256 * 1024

export interface HttpGatewayClient extends SmsGatewayClient {
  close(): Promise<void>
}

/** Hands messages to gateways over HTTP(S): one POST each, no redirect followed, nothing tried twice. */
export function httpGatewayClient({ timeoutSeconds }: { timeoutSeconds: number }): HttpGatewayClient {
  const timeout = Math.ceil(timeoutSeconds * 1000)
  const dispatcher = new Agent({
    connect: guardedConnector({ timeout }),
    headersTimeout: timeout,
    bodyTimeout: timeout,
    // A kept connection that the gateway has just closed would fail a send that can't be tried again.
    pipelining: 0,
  })
  const exchange = async (submission: Submission, signal: AbortSignal): Promise<GatewayReply> => {
    const response = await ofetch.raw(submission.url, { ...posting(submission), signal, dispatcher })
    return { kind: 'answered', status: response.status, body: await readSome(response._data) }
  }
  return {
    submit: async submission => {
      const signal = AbortSignal.timeout(timeout)
      try {
        // A body that cannot be unpacked may leave fetch hanging whatever the signal says, hence the race.
        return await Promise.race([exchange(submission, signal), aborted(signal)])
      } catch (error) {
        const exception = signal.aborted ? `The gateway did not answer within ${timeoutSeconds} s.` : explain(error)
        return { kind: 'failed', exception }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

const posting = ({ username, password, body }: Submission): FetchOptions<'stream'> => ({
  method: 'POST',
  body,
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
    authorization: `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`,
  },
  redirect: 'manual',
  retry: 0,
  responseType: 'stream',
  ignoreResponseError: true,
})

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

async function readSome(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
  if (!stream) return ''
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
    size += value.byteLength
    if (size >= MAX_REPLY) {
      await reader.cancel()
      break
    }
  }
  // Unlike toString, it leaves out a byte order mark, which would keep JSON from being read as such.
  return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, MAX_REPLY))
}

/** The innermost reason: fetch wraps what happened on the wire in two errors that say nothing. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return explain(error.cause)
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return explain(error.errors[0])
  const code =
    'code' in error && typeof error.code === 'string' && !error.message.includes(error.code) ? ` (${error.code})` : ''
  return `${error.message || error.name}${code}`
}
