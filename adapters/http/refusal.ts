import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { HttpMetrics } from './metrics.ts'

/** How long a refused client may take to read why, before its connection is cut. */
const LINGER_MS = 1_000

const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What the application never saw. The reason is a code of the parser or ours: nothing of what was sent. */
export interface Refusal {
  readonly status: number
  readonly reason: string
}

export type OnRefusal = (refusal: Refusal) => void

/** Counts each refusal, and leaves a line in the log. */
export const notingRefusals =
  (log: Logger, metrics: Pick<HttpMetrics, 'refusal'> | undefined): OnRefusal =>
  ({ status, reason }) => {
    metrics?.refusal(status)
    log.info({ status, reason }, 'request refused')
  }

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Each open connection with its exchanges that are not finished, in their order. */
export type Connections = ReadonlyMap<Socket, ReadonlySet<Exchange>>

export function watchConnections(server: Server): Connections {
  const connections = new Map<Socket, Set<Exchange>>()
  server.on('connection', socket => {
    connections.set(socket, new Set())
    socket.once('close', () => connections.delete(socket))
  })
  server.prependListener('request', (request, response) => {
    const exchange = { request, response }
    const exchanges = connections.get(request.socket)
    exchanges?.add(exchange)
    response.once('close', () => exchanges?.delete(exchange))
  })
  return connections
}

/** What cannot be read as HTTP, or does not come in time, is answered in JSON like all else, and cut. */
export function refuseUnreadable(server: Server, connections: Connections, onRefusal: OnRefusal): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const exchanges = [...(connections.get(socket) ?? [])]
    const last = exchanges.at(-1)
    const isAboutLast = exchanges.length === 1 && last && !last.request.complete && !last.response.headersSent
    if (last && !isAboutLast) {
      // An answer now would be taken for that of a request before; those are finished, and nothing more is read.
      last.response.once('close', () => socket.destroy())
      return
    }
    const { code = 'unknown' } = error
    const status = STATUS_OF[code] ?? '400 Bad Request'
    // The application has that request already, and tells what became of it.
    if (last) last.response.statusCode = numberOf(status)
    else onRefusal({ status: numberOf(status), reason: code })
    const body = bodyOf(status)
    socket.end(
      `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  })
}

/** Answers a request that was read but is not taken, and cuts its connection. */
export function refuse(response: ServerResponse, status: string, reason: string, onRefusal: OnRefusal): void {
  onRefusal({ status: numberOf(status), reason })
  const body = bodyOf(status)
  response.writeHead(numberOf(status), {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  })
  response.end(body)
}

const numberOf = (status: string): number => Number(status.slice(0, 3))

const bodyOf = (status: string): string => JSON.stringify({ message: `${status.slice(4)}.` })

/** RFC 9112: a request of HTTP/1.1 without Host, and any with two, is a 400. Node would take the first of two. */
export function isForOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/**
 * Cuts connections that nothing went over for so long, unless we are the ones who are waited for: a client that stops
 * reading its response would hold its connection for ever.
 */
export function cutStalled(server: Server, connections: Connections, afterMs: number): void {
  server.timeout = afterMs
  server.on('timeout', socket => {
    const exchanges = [...(connections.get(socket) ?? [])]
    if (exchanges.every(({ request, response }) => response.headersSent || !request.complete)) socket.destroy()
  })
}
