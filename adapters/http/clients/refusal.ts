import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'

/** How long a refused client may take to read the reason before its connection is cut. */
const LINGER_MS = 1_000

const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * A request that the application never saw. The reason is a code of the parser or ours, without anything that was
 * sent.
 */
export interface Refusal {
  readonly status: number
  readonly reason: string
}

export type OnRefusal = (refusal: Refusal) => void

/** Answers what cannot be read as HTTP, or is too slow, in JSON like everything else, and cuts the connection. */
export function refuseUnreadable(server: Server, connections: Connections, onRefusal: OnRefusal): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const exchanges = connections.exchanges(socket)
    const last = exchanges.at(-1)
    const isAboutLast = exchanges.length === 1 && last && !last.request.complete && !last.response.headersSent
    // The client would take an answer now for that of an earlier request: finish those, and read nothing more.
    if (last && !isAboutLast) return connections.endAfterwards(socket)
    const { code = 'unknown' } = error
    const status = STATUS_OF[code] ?? '400 Bad Request'
    // The application already has that request and answers it.
    if (last) last.response.statusCode = numberOf(status)
    else onRefusal({ status: numberOf(status), reason: code })
    const body = bodyOf(status)
    socket.end(
      `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  })
}

/** Answers a request that was read but is refused, and cuts its connection. */
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

/** RFC 9112: an HTTP/1.1 request without Host, and any with two, gets a 400. Node would use the first of two. */
export function isForOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
