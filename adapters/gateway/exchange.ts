import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { assertAllowed, guardedLookup } from './targets.ts'

/** The most bytes that are read of a reply, compressed or not; the rest is left. */
const MAX_REPLY = 256 * 1024

const DECODERS: Readonly<Record<string, (() => NodeJS.ReadWriteStream & Readable) | undefined>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

export const ENCODINGS = Object.keys(DECODERS).join(', ')

/** Statuses of responses that must not have a body. */
const BODILESS = new Set([204, 205, 304])

export interface Exchanges {
  /**
   * Returns a fetch for one request. It calls `onWriting` once the connection is open, before writing anything. `ca`
   * replaces the usual authorities.
   */
  fetch(onWriting: () => void, ca?: string[]): typeof globalThis.fetch
  close(): void
}

/**
 * HTTP(S) over a new connection for each request, to allowed addresses only, without redirects. Replaces the built-in
 * fetch, which fails on an unexpected `100 Continue` and hides whether it has written the request.
 */
export function exchanges(): Exchanges {
  // A kept connection that the gateway has just closed would fail a send that cannot be retried.
  const options = { keepAlive: false, lookup: guardedLookup }
  const plain = { send: http.request, agent: new http.Agent(options), opened: 'connect' }
  const secure = { send: https.request, agent: new https.Agent(options), opened: 'secureConnect' }
  return {
    fetch: (onWriting, ca) => async (target, init) => {
      const url = new URL(target instanceof Request ? target.url : target)
      assertAllowed(url.hostname)
      const { send, agent, opened } = url.protocol === 'https:' ? secure : plain
      const { method = 'GET', signal } = init ?? {}
      const body = typeof init?.body === 'string' ? init.body : undefined
      const headers = Object.fromEntries(new Headers(init?.headers))
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = send(
          url,
          { agent, method, headers, ...(signal ? { signal } : {}), ...(ca ? { ca } : {}) },
          resolve,
        )
        outgoing.on('error', reject)
        outgoing.once('socket', socket => socket.once(opened, onWriting))
        outgoing.end(body)
      })
      return asResponse(response)
    },
    close: () => {
      plain.agent.destroy()
      secure.agent.destroy()
    },
  }
}

async function asResponse(message: IncomingMessage): Promise<Response> {
  const status = message.statusCode ?? 0
  const body = await bodyOf(message)
  if (status < 200 || status > 599) throw new Error(`The gateway answered with ${status}, which is not an HTTP status.`)
  return new Response(BODILESS.has(status) ? null : body, { status })
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of unpacked(message)) {
    pieces.push(piece)
    size += piece.length
    if (size >= MAX_REPLY) break
  }
  return Buffer.concat(pieces).subarray(0, MAX_REPLY)
}

function unpacked(message: IncomingMessage): Readable {
  const decoder = DECODERS[message.headers['content-encoding']?.toLowerCase() ?? '']
  // The last stream's reader gets every error; the callback is there because pipeline requires one.
  return decoder ? pipeline(message, decoder(), () => undefined) : message
}
