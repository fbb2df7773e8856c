import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
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
  /** What else must name the same port. */
  readonly namedBy?: string
}

export interface RunningServer {
  /** With the port in use. */
  readonly url: string
  /** Stops accepting, waits at most this long for requests in flight, then cuts the rest. */
  stop(graceMs: number): Promise<void>
}

/** How a server treats requests. */
export interface Treatment extends Watching {
  /** Requests to these paths go before the others. */
  readonly urgent?: readonly string[]
  /** Once it aborts, each answer ends its connection. */
  readonly leaving?: AbortSignal
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Throws `configuration` if the address is not available. */
export async function assertFree(place: Address): Promise<void> {
  const server = createServer()
  await listening(server, place)
  await new Promise(resolve => server.close(resolve))
}

/**
 * Serves the application that `appAt` builds for the actual URL. `onRefusal` gets the requests that the application
 * never saw. Throws `configuration` if the address is not available.
 */
export async function serve(
  appAt: (url: string) => Koa,
  place: Address,
  limits: Partial<Limits> = {},
  { onRefusal = () => {}, onCut = () => {}, urgent = [], leaving }: Treatment = {},
): Promise<RunningServer> {
  const { server, connections } = createBounded({ ...LIMITS, ...limits }, { onRefusal, onCut })
  await listening(server, place)
  const { host } = place
  const address = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  const running = new Set<Promise<void>>()
  const handle = appAt(url).callback()
  const take = paced<Exchange>(
    ({ request, response }) => {
      const handling = handle(request, response).finally(() => running.delete(handling))
      running.add(handling)
    },
    ({ request }) => urgent.includes(request.url ?? ''),
  )
  server.on('request', (request, response) => {
    if (!connections.begin(request, response)) return
    if (!isForOneHost(request)) return refuse(response, '400 Bad Request', 'HOST', onRefusal)
    if (leaving?.aborted) response.setHeader('connection', 'close')
    take({ request, response })
  })
  return { url, stop: graceMs => stop(server, { connections, running }, graceMs) }
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

/** Advises to choose another port; any port will do only if nothing else must name it. */
const choose = ({ setting = 'TRUNKLINE_PORT', namedBy }: Address, which: string, orElse = ''): string =>
  `set ${setting} to ${which}${namedBy === undefined ? orElse : `, and ${namedBy} to the same port`}`

const chooseFree = (place: Address): string => choose(place, 'a free port', ', or to 0 for any')

/** Why an address is not available, and what to do. */
const UNAVAILABLE: Readonly<Record<string, (place: Address) => string>> = {
  EADDRINUSE: place => `another program listens there; stop it, or ${chooseFree(place)}`,
  EACCES: place => `this user may not have that port; ${choose(place, 'one above 1023')}`,
  EADDRNOTAVAIL: () => 'this machine does not have that address; set TRUNKLINE_HOST to one that it has',
  ENOTFOUND: () => 'that host name has no address; set TRUNKLINE_HOST to an address of this machine',
  EAI_AGAIN: () => 'that host name cannot be looked up now; set TRUNKLINE_HOST to an address of this machine',
  EAFNOSUPPORT: () => 'this machine has no addresses of that kind; set TRUNKLINE_HOST to one that it has',
}

function listening(server: Server, place: Address): Promise<void> {
  const { host, port } = place
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message
      const why = (UNAVAILABLE[reason] ?? chooseFree)(place)
      reject(new AppError('configuration', `Cannot listen on ${host}:${port}: ${why} (${reason}).`))
    })
    server.listen(port, host, resolve)
  })
}

interface InFlight {
  readonly connections: Connections
  readonly running: ReadonlySet<Promise<void>>
}

const SHORT_TURN_MS = 1
const PATIENCE_MS = 1_000

/**
 * Resolves once hardly a connection waits to be accepted, since closing the port resets those: after a short turn of
 * the event loop that accepted none. A turn accepts one.
 */
async function allAccepted(server: Server): Promise<void> {
  let accepted = 0
  const count = (): void => void accepted++
  server.on('connection', count)
  const end = performance.now() + PATIENCE_MS
  for (let now = performance.now(); now < end; ) {
    const [since, before] = [now, accepted]
    await nextTurn()
    now = performance.now()
    if (now - since < SHORT_TURN_MS && accepted === before) break
  }
  server.off('connection', count)
}

/** A client that left has no connection to wait for, but perhaps a request still at work. */
async function stop(server: Server, { connections, running }: InFlight, graceMs: number): Promise<void> {
  await allAccepted(server)
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
