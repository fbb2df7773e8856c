import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type Koa from 'koa'
import { AppError } from '../../core/errors.ts'

const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
const KEEP_ALIVE_MS = 30_000
const MAX_CONNECTIONS = 2_000

export interface RunningServer {
  /** With the port that was really taken. */
  readonly url: string
  /** Stops accepting, lets requests in flight end for at most so long, then cuts the rest. */
  stop(graceMs: number): Promise<void>
}

const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What cannot be read as HTTP is answered, in JSON like all else, and cut. */
function refuse(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = STATUS_OF[error.code ?? ''] ?? '400 Bad Request'
  const body = JSON.stringify({ message: `${status.slice(4)}.` })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
}

/**
 * Serves the application that `appAt` makes for the URL that was really taken. Throws `configuration` when the address
 * cannot be had.
 */
export async function serve(
  appAt: (url: string) => Koa,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: true,
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('clientError', refuse)
  await listening(server, host, port)
  const address = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  const handle = appAt(url).callback()
  const running = new Set<Promise<void>>()
  server.on('request', (request, response) => {
    const handling = handle(request, response).finally(() => running.delete(handling))
    running.add(handling)
  })
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return { url, stop: graceMs => stop(server, { sockets, running }, graceMs) }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new AppError('configuration', `Cannot listen on ${host}:${port}: ${error.code ?? error.message}.`, {
          hint: 'set TRUNKLINE_PORT to a free port, or to 0 to take any',
        }),
      )
    })
    server.listen(port, host, resolve)
  })
}

interface InFlight {
  readonly sockets: ReadonlySet<Socket>
  readonly running: ReadonlySet<Promise<void>>
}

/** A client that went away leaves no connection to wait for, but perhaps a request that still has work to do. */
async function stop(server: Server, { sockets, running }: InFlight, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const closing = setInterval(() => {
    server.closeIdleConnections()
    // Node does not count as idle what a browser opened ahead and has said nothing on.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }, 50)
  let cutting: NodeJS.Timeout | undefined
  const cut = new Promise<void>(resolve => {
    cutting = setTimeout(resolve, graceMs)
  })
  await Promise.race([closed.then(() => Promise.allSettled(running)), cut])
  clearInterval(closing)
  clearTimeout(cutting)
  server.closeAllConnections()
  await closed
}
