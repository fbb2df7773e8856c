import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export interface Connection {
  readonly network: string
  /** Unfinished requests, in order. */
  readonly exchanges: Set<Exchange>
  /** When anything last happened. */
  since: number
  /** Nothing more is read: the connection closes after its last response. */
  isEnding: boolean
}

export interface OpenConnections {
  /** In the order of their last activity. */
  readonly open: ReadonlyMap<Socket, Connection>
  countAt(network: string): number
  /** Returns how many networks have connections. */
  networks(): number
  /** Returns how many requests wait behind another on the same connection. */
  pipelined(): number
  add(socket: Socket, network: string): Connection
  forget(socket: Socket): void
  /** Notes that something happened. */
  touch(socket: Socket, connection: Connection): void
  /** Adds a request until its response is closed. */
  begin(socket: Socket, connection: Connection, exchange: Exchange): void
}

/** True if the server has to act before the client can. */
export const isOurTurn = (socket: Socket, { exchanges }: Connection): boolean => {
  for (const { request, response } of exchanges)
    if (request.complete && !(response.headersSent && socket.writableLength > 0)) return true
  return false
}

/** The number of requests that wait behind another one. */
const behind = ({ exchanges }: Connection): number => Math.max(0, exchanges.size - 1)

/** Keeps count of a server's connections, and of what waits on them. */
export function openConnections(): OpenConnections {
  const open = new Map<Socket, Connection>()
  const perNetwork = new Map<string, number>()
  let pipelined = 0
  const countAt = (network: string): number => perNetwork.get(network) ?? 0
  const touch = (socket: Socket, connection: Connection): void => {
    connection.since = performance.now()
    if (open.delete(socket)) open.set(socket, connection)
  }
  return {
    open,
    countAt,
    networks: () => perNetwork.size,
    pipelined: () => pipelined,
    touch,
    add: (socket, network) => {
      const connection: Connection = { network, exchanges: new Set(), since: performance.now(), isEnding: false }
      open.set(socket, connection)
      perNetwork.set(network, countAt(network) + 1)
      return connection
    },
    forget: socket => {
      const connection = open.get(socket)
      if (!connection) return
      open.delete(socket)
      pipelined -= behind(connection)
      const left = countAt(connection.network) - 1
      if (left === 0) perNetwork.delete(connection.network)
      else perNetwork.set(connection.network, left)
    },
    begin: (socket, connection, exchange) => {
      if (connection.exchanges.size > 0) pipelined++
      connection.exchanges.add(exchange)
      connection.since = performance.now()
      exchange.response.once('close', () => {
        if (open.has(socket) && behind(connection) > 0) pipelined--
        connection.exchanges.delete(exchange)
        touch(socket, connection)
      })
    },
  }
}
