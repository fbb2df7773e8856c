import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './address.ts'

export interface ConnectionLimits {
  /** How long a client may be silent without a request in flight. */
  readonly idleMs: number
  /** How long a client may pause reading its response. */
  readonly stalledMs: number
  /** How often the times are checked. */
  readonly checkMs: number
  readonly connections: number
  /** Connections from one address, or one /64 of IPv6; Infinity if all come from a proxy. */
  readonly connectionsPerAddress: number
  /** Requests on one connection that wait for their responses. */
  readonly pipelined: number
  /** Requests on all connections that wait behind another on the same connection. */
  readonly pipelinedInAll: number
}

/**
 * Why a connection was cut: to make room for another (crowded), for lack of room (full), for silence (idle), for not
 * reading the response (stalled), or for sending more requests without reading responses (pipelined).
 */
export type Cut = 'crowded' | 'full' | 'idle' | 'stalled' | 'pipelined'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Connection {
  readonly network: string
  /** Unfinished requests, in order. */
  readonly exchanges: Set<Exchange>
  /** When anything last happened. */
  since: number
  /** Nothing more is read: the connection closes after its last response. */
  isEnding: boolean
}

export interface Connections {
  /** Returns false for a request to ignore: its connection is about to end. */
  begin(request: IncomingMessage, response: ServerResponse): boolean
  /** Returns the connection's unfinished requests, in order. */
  exchanges(socket: Socket): readonly Exchange[]
  /** Stops reading, and closes the connection after its last response. */
  endAfterwards(socket: Socket): void
  /** Closes connections that nothing was ever received on. */
  cutSilent(): void
  /** Stops checking times. */
  stop(): void
}

/** True if the server has to act before the client can. */
const isOurTurn = (socket: Socket, { exchanges }: Connection): boolean => {
  for (const { request, response } of exchanges)
    if (request.complete && !(response.headersSent && socket.writableLength > 0)) return true
  return false
}

/** The number of requests that wait behind another one. */
const behind = ({ exchanges }: Connection): number => Math.max(0, exchanges.size - 1)

/** Before version 24, Node reports a closed connection only to the first of its waiting responses. */
function abandon({ exchanges }: Connection): void {
  for (const { response } of exchanges) {
    response.destroy()
    response.emit('close')
  }
}

/**
 * Keeps a server's connections within limits. When there are too many, it closes the one that has waited longest for
 * its client, at an address that has its share of them: silent clients lock nobody out.
 */
export function boundConnections(server: Server, limits: ConnectionLimits, onCut: (reason: Cut) => void): Connections {
  /** In the order of their last activity. */
  const open = new Map<Socket, Connection>()
  const perNetwork = new Map<string, number>()
  let pipelined = 0
  const countOf = (network: string): number => perNetwork.get(network) ?? 0

  const forget = (socket: Socket): void => {
    const connection = open.get(socket)
    if (!connection) return
    open.delete(socket)
    pipelined -= behind(connection)
    const left = countOf(connection.network) - 1
    if (left === 0) perNetwork.delete(connection.network)
    else perNetwork.set(connection.network, left)
  }
  const cut = (socket: Socket, reason: Cut): void => {
    forget(socket)
    socket.destroy()
    onCut(reason)
  }
  const touch = (socket: Socket, connection: Connection): void => {
    connection.since = performance.now()
    if (open.delete(socket)) open.set(socket, connection)
  }
  const makeRoom = (isMeant: (connection: Connection) => boolean): boolean => {
    for (const [socket, connection] of open) {
      if (!isMeant(connection) || isOurTurn(socket, connection)) continue
      cut(socket, 'crowded')
      return true
    }
    return false
  }
  const hasRoom = (network: string): boolean => {
    if (countOf(network) >= limits.connectionsPerAddress) return makeRoom(other => other.network === network)
    if (open.size < limits.connections) return true
    const share = open.size / perNetwork.size
    return makeRoom(other => countOf(other.network) >= share)
  }
  const endAfterwards = (socket: Socket): void => {
    const connection = open.get(socket)
    if (!connection || connection.isEnding) return
    connection.isEnding = true
    const last = [...connection.exchanges].at(-1)
    if (last) last.response.once('close', () => socket.destroy())
    else socket.destroy()
  }

  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    if (!hasRoom(network)) return cut(socket, 'full')
    const connection: Connection = { network, exchanges: new Set(), since: performance.now(), isEnding: false }
    open.set(socket, connection)
    perNetwork.set(network, countOf(network) + 1)
    socket.once('close', () => {
      forget(socket)
      setImmediate(abandon, connection)
    })
    socket.on('drain', () => touch(socket, connection))
  })

  const sweep = (): void => {
    const now = performance.now()
    for (const [socket, connection] of open) {
      const isIdle = connection.exchanges.size === 0
      if (isOurTurn(socket, connection)) connection.since = now
      else if (now - connection.since > (isIdle ? limits.idleMs : limits.stalledMs))
        cut(socket, isIdle ? 'idle' : 'stalled')
    }
  }
  const sweeping = setInterval(sweep, limits.checkMs).unref()

  return {
    begin: (request, response) => {
      const { socket } = request
      const connection = open.get(socket)
      if (!connection || connection.isEnding) return false
      const waiting = connection.exchanges.size
      if (waiting >= limits.pipelined || (waiting > 0 && pipelined >= limits.pipelinedInAll)) {
        endAfterwards(socket)
        onCut('pipelined')
        return false
      }
      const exchange = { request, response }
      if (waiting > 0) pipelined++
      connection.exchanges.add(exchange)
      connection.since = performance.now()
      response.once('close', () => {
        if (open.has(socket) && behind(connection) > 0) pipelined--
        connection.exchanges.delete(exchange)
        touch(socket, connection)
      })
      return true
    },
    exchanges: socket => [...(open.get(socket)?.exchanges ?? [])],
    endAfterwards,
    cutSilent: () => {
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy()
    },
    stop: () => clearInterval(sweeping),
  }
}
