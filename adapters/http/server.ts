import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import { AppError } from '../../core/errors.ts'
import { boundConnections, type ConnectionLimits, type Connections, type Cut } from './clients/connections.ts'
import { paced } from './clients/pacing.ts'
import { isForOneHost, type OnRefusal, refuse, refuseUnreadable } from './clients/refusal.ts'

/** Limits on clients' time and connections. */
export interface Limits extends ConnectionLimits {
  readonly headersMs: number
  readonly requestMs: number
}

/** Called with what the application never saw. */
export interface Watching {
  readonly onRefusal?: OnRefusal
  readonly onCut?: (reason: Cut) => void
}

/** Connections of one client, enough for an office behind one address; behind a proxy, its simultaneous requests. */
export const PER_CLIENT = 256

const LIMITS: Limits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 30_000,
  stalledMs: 60_000,
  checkMs: 1_000,
  connections: 1_024,
  connectionsPerAddress: PER_CLIENT,
  pipelined: 16,
  pipelinedInAll: 1_024,
}

/** Behind a proxy, all connections come from its address, so there is no limit for each address. */
export const limitsBehind = (trustedProxies: number): Partial<Limits> =>
  trustedProxies > 0 ? { connectionsPerAddress: Number.POSITIVE_INFINITY } : {}

export interface Address {
  readonly host: string
  readonly port: number
  /** The name of the port's setting; default TRUNKLINE_PORT. */
  readonly setting?: string
}

export interface RunningServer {
  /** With the port in use. */
  readonly url: string
  /** Stops accepting, waits at most this long for requests in flight, then cuts the rest. */
  stop(graceMs: number): Promise<void>
}

/** A server that has its address, and answers 503 until it has an application. */
export interface ListeningServer extends RunningServer {
  /** Requests to the `urgent` paths go before the others. */
  serve(app: Koa, urgent?: readonly string[]): void
}

/** Serves the application that `appAt` builds for the actual URL. See {@link listen}. */
export async function serve(
  appAt: (url: string) => Koa,
  ...listening: Parameters<typeof listen>
): Promise<RunningServer> {
  const server = await listen(...listening)
  server.serve(appAt(server.url))
  return server
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Opens the port. `onRefusal` gets the requests that the application never saw. Throws `configuration` if the address
 * is not available.
 */
export async function listen(
  place: Address,
  limits: Partial<Limits> = {},
  { onRefusal = () => {}, onCut = () => {} }: Watching = {},
): Promise<ListeningServer> {
  const { server, connections } = createBounded({ ...LIMITS, ...limits }, { onRefusal, onCut })
  await listening(server, place)
  const { host } = place
  const address = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  const running = new Set<Promise<void>>()
  let take: ((exchange: Exchange) => void) | null = null
  server.on('request', (request, response) => {
    if (!connections.begin(request, response)) return
    if (!isForOneHost(request)) return refuse(response, '400 Bad Request', 'HOST', onRefusal)
    if (!take) return refuse(response, '503 Service Unavailable', 'STARTING', onRefusal)
    take({ request, response })
  })
  return {
    url,
    serve: (app, urgent = []) => {
      const handle = app.callback()
      take = paced(
        ({ request, response }) => {
          const handling = handle(request, response).finally(() => running.delete(handling))
          running.add(handling)
        },
        ({ request }) => urgent.includes(request.url ?? ''),
      )
    },
    stop: graceMs => stop(server, { connections, running }, graceMs),
  }
}

function createBounded(
  limits: Limits,
  { onRefusal, onCut }: Required<Watching>,
): { server: Server; connections: Connections } {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.idleMs,
    // Node's own answer to a request without Host has no body.
    requireHostHeader: false,
  })
  const connections = boundConnections(server, { ...limits, idleMs: limits.idleMs + limits.headersMs }, onCut)
  refuseUnreadable(server, connections, onRefusal)
  server.on('checkExpectation', (_, response) => refuse(response, '417 Expectation Failed', 'EXPECT', onRefusal))
  return { server, connections }
}

/** Why an address is not available, and what to do; `setting` is the name of the port's setting. */
const UNAVAILABLE: Readonly<Record<string, (setting: string) => string>> = {
  EADDRINUSE: setting => `another program listens there; stop it, or set ${setting} to a free port, or to 0 for any`,
  EACCES: setting => `this user may not have that port; set ${setting} to one above 1023`,
  EADDRNOTAVAIL: () => 'this machine does not have that address; set TRUNKLINE_HOST to one that it has',
  ENOTFOUND: () => 'that host name has no address; set TRUNKLINE_HOST to an address of this machine',
  EAI_AGAIN: () => 'that host name cannot be looked up now; set TRUNKLINE_HOST to an address of this machine',
  EAFNOSUPPORT: () => 'this machine has no addresses of that kind; set TRUNKLINE_HOST to one that it has',
}

function listening(server: Server, { host, port, setting = 'TRUNKLINE_PORT' }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message
      const why = UNAVAILABLE[reason]?.(setting) ?? `set ${setting} to a free port, or to 0 for any`
      reject(new AppError('configuration', `Cannot listen on ${host}:${port}: ${why} (${reason}).`))
    })
    server.listen(port, host, resolve)
  })
}

interface InFlight {
  readonly connections: Connections
  readonly running: ReadonlySet<Promise<void>>
}

/** A client that left has no connection to wait for, but perhaps a request still at work. */
async function stop(server: Server, { connections, running }: InFlight, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const closing = setInterval(() => {
    server.closeIdleConnections()
    // Node does not count a connection as idle that a browser opened ahead and has not used.
    connections.cutSilent()
  }, 50)
  let cutting: NodeJS.Timeout | undefined
  const cut = new Promise<void>(resolve => {
    cutting = setTimeout(resolve, graceMs)
  })
  await Promise.race([closed.then(() => Promise.allSettled(running)), cut])
  clearInterval(closing)
  clearTimeout(cutting)
  connections.stop()
  server.closeAllConnections()
  await closed
}
