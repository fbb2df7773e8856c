import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './address.ts'

export interface ConnectionLimits {
  /** How long a client without a request in flight may be silent. */
  readonly idleMs: number
  /** How long a client may stop reading its response. */
  readonly stalledMs: number
  /** How often the times are looked at. */
  readonly checkMs: number
  readonly connections: number
  /** From one address, or one /64 of IPv6; Infinity where all come from a proxy. */
  readonly connectionsPerAddress: number
  /** Requests on one connection that wait for their responses. */
  readonly pipelined: number
  /** Requests on all connections that wait behind another of theirs. */
  readonly pipelinedInAll: number
}

/**
 * Why a connection was cut: to make room for another, because there was no room, for being silent or idle for too
 * long, or for sending more and more requests without reading the responses.
 */
export type Cut = 'crowded' | 'full' | 'idle' | 'stalled' | 'pipelined'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Connection {
  readonly network: string
  /** Those that are not finished, in their order. */
  readonly exchanges: Set<Exchange>
  /** When something last went on. */
  since: number
  /** Nothing more is read from it: it is closed once the last response is sent. */
  isEnding: boolean
}

export interface Connections {
  /** False for a request that is to be left alone: its connection is about to end. */
  begin(request: IncomingMessage, response: ServerResponse): boolean
  /** Those of the connection that are not finished, in their order. */
  exchanges(socket: Socket): readonly Exchange[]
  /** Reads nothing more and closes the connection once the last response is sent. */
  endAfterwards(socket: Socket): void
  /** Closes those that nothing was ever said on. */
  cutSilent(): void
  /** Ends the looking after times. */
  stop(): void
}

/** Whether we have to do something before the client can. */
const isOurTurn = (socket: Socket, { exchanges }: Connection): boolean => {
  for (const { request, response } of exchanges)
    if (request.complete && !(response.headersSent && socket.writableLength > 0)) return true
  return false
}

/** Requests that wait behind another one. */
const behind = ({ exchanges }: Connection): number => Math.max(0, exchanges.size - 1)

/** Node before 24 tells only the first of the responses that wait on a connection that it is closed. */
function abandon({ exchanges }: Connection): void {
  for (const { response } of exchanges) {
    response.destroy()
    response.emit('close')
  }
}

/**
 * Keeps the connections of a server within limits. When there are too many, the one that has waited longest for its
 * client makes room, of an address that has its share of them: who says nothing locks nobody out.
 */
export function boundConnections(server: Server, limits: ConnectionLimits, onCut: (reason: Cut) => void): Connections {
  /** In the order of their last change. */
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
