import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './address.ts'
import { type Connection, type Exchange, isOurTurn, type OpenConnections, openConnections } from './open-connections.ts'

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

export interface Connections {
  /** Returns false for a request to ignore: its connection is about to end. */
  begin(request: IncomingMessage, response: ServerResponse): boolean
  /** Returns the connection's unfinished requests, in order. */
  exchanges(socket: Socket): readonly Exchange[]
  /** Stops reading, and closes the connection after its last response. */
  endAfterwards(socket: Socket): void
  /** Closes connections that nothing was ever received on, unless they are so new that a request may be on its way. */
  cutSilent(): void
  /** Stops checking times. */
  stop(): void
}

/** The longest that the first request of a new connection is on its way. */
const UNDERWAY_MS = 500

/** Before version 24, Node reports a closed connection only to the first of its waiting responses. */
function abandon({ exchanges }: Connection): void {
  for (const { response } of exchanges) {
    response.destroy()
    response.emit('close')
  }
}

type CutOff = (socket: Socket, reason: Cut) => void

/** Makes room for a connection from a network if need be; returns false if there is none to make. */
function roomMaker(connections: OpenConnections, limits: ConnectionLimits, cut: CutOff): (network: string) => boolean {
  const { open, countAt, networks } = connections
  const makeRoom = (isMeant: (connection: Connection) => boolean): boolean => {
    for (const [socket, connection] of open) {
      if (!isMeant(connection) || isOurTurn(socket, connection)) continue
      cut(socket, 'crowded')
      return true
    }
    return false
  }
  return network => {
    if (countAt(network) >= limits.connectionsPerAddress) return makeRoom(other => other.network === network)
    if (open.size < limits.connections) return true
    const share = open.size / networks()
    return makeRoom(other => countAt(other.network) >= share)
  }
}

/** Cuts connections whose client was silent, or paused reading, for too long. */
function cutOverdue({ open }: OpenConnections, { idleMs, stalledMs }: ConnectionLimits, cut: CutOff): void {
  const now = performance.now()
  for (const [socket, connection] of open) {
    const isIdle = connection.exchanges.size === 0
    if (isOurTurn(socket, connection)) connection.since = now
    else if (now - connection.since > (isIdle ? idleMs : stalledMs)) cut(socket, isIdle ? 'idle' : 'stalled')
  }
}

/**
 * Keeps a server's connections within limits. When there are too many, it closes the one that has waited longest for
 * its client, at an address that has its share of them: silent clients lock nobody out.
 */
export function boundConnections(server: Server, limits: ConnectionLimits, onCut: (reason: Cut) => void): Connections {
  const connections = openConnections()
  const { open } = connections
  const cut: CutOff = (socket, reason) => {
    connections.forget(socket)
    socket.destroy()
    onCut(reason)
  }
  const hasRoom = roomMaker(connections, limits, cut)
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
    const connection = connections.add(socket, network)
    socket.once('close', () => {
      connections.forget(socket)
      setImmediate(abandon, connection)
    })
    socket.on('drain', () => connections.touch(socket, connection))
  })
  const sweeping = setInterval(() => cutOverdue(connections, limits, cut), limits.checkMs).unref()

  return {
    begin: (request, response) => {
      const { socket } = request
      const connection = open.get(socket)
      if (!connection || connection.isEnding) return false
      const waiting = connection.exchanges.size
      if (waiting >= limits.pipelined || (waiting > 0 && connections.pipelined() >= limits.pipelinedInAll)) {
        endAfterwards(socket)
        onCut('pipelined')
        return false
      }
      connections.begin(socket, connection, { request, response })
      return true
    },
    exchanges: socket => [...(open.get(socket)?.exchanges ?? [])],
    endAfterwards,
    cutSilent: () => {
      const before = performance.now() - UNDERWAY_MS
      for (const [socket, { since }] of open) if (socket.bytesRead === 0 && since < before) socket.destroy()
    },
    stop: () => clearInterval(sweeping),
  }
}
