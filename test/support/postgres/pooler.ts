import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What PgBouncer does: a session of the server for each client, or one for each transaction. */
export type PoolMode = 'session' | 'transaction'

export interface Pooler {
  /** The address of the same database, by way of the pooler. */
  readonly address: string
  /** Gives this process id to clients that connect from now on, as that of their server process. */
  giveOut(pid: number): void
  close(): Promise<void>
}

const SOCKET = '.s.PGSQL.5432'
const PROTOCOL = 3 << 16

/** Passes clients on to the server of an address, which is on a socket: drops their settings, and invents process ids. */
export async function pooler(address: string, mode: PoolMode): Promise<Pooler> {
  const url = new URL(address.replace('@/', '@localhost/'))
  const host = url.searchParams.get('host')
  if (host === null) throw new Error('The pooler needs a server on a socket.')
  const folder = mkdtempSync(join(tmpdir(), 'tl-pooler-'))
  let given = 1
  const sessions: Session[] = []
  const clients = new Set<Socket>()
  const newSession = (): Session => {
    const session = new Session(connect(join(host, SOCKET)), startup(url.username, url.pathname.slice(1)))
    sessions.push(session)
    return session
  }
  const shared = mode === 'transaction' ? newSession() : null
  const server = createServer(client => {
    const session = shared ?? newSession()
    clients.add(client)
    client.on('error', () => undefined)
    client.on('close', () => shared ?? session.socket.destroy())
    client.once('data', async () => {
      client.write(withBackend(await session.greeting, given))
      client.on('data', bytes => session.send(client, bytes))
    })
  })
  await new Promise<void>(resolve => server.listen(join(folder, SOCKET), resolve))
  url.searchParams.set('host', folder)
  return {
    address: url.href.replace('@localhost/', '@/'),
    giveOut: pid => {
      given = pid
    },
    close: async () => {
      for (const socket of [...clients, ...sessions.map(session => session.socket)]) socket.destroy()
      await closed(server)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const closed = (server: Server): Promise<void> => new Promise(resolve => server.close(() => resolve()))

function startup(user: string, database: string): Buffer {
  const parameters = Buffer.from(['user', user, 'database', database, '', ''].join('\0'))
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + parameters.length)
  head.writeInt32BE(PROTOCOL, 4)
  return Buffer.concat([head, parameters])
}

/** A session of the server, which answers one client after the other. */
class Session {
  readonly socket: Socket
  /** All that the server says before it is ready. */
  readonly greeting: Promise<Buffer>
  #user: Socket | null = null
  readonly #waiting: { readonly client: Socket; readonly bytes: Buffer }[] = []

  constructor(socket: Socket, first: Buffer) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.write(first)
    let isGreeted = false
    let rest = Buffer.alloc(0)
    this.greeting = new Promise(resolve =>
      socket.on('data', bytes => {
        rest = Buffer.concat([rest, bytes])
        const end = lengthOfWhole(rest)
        if (!isGreeted && !isReady(rest.subarray(0, end))) return
        const whole = rest.subarray(0, end)
        rest = rest.subarray(end)
        if (isGreeted) return this.#answer(whole)
        isGreeted = true
        resolve(whole)
      }),
    )
  }

  /** Sends what a client says, once the transactions of others are over. */
  send(client: Socket, bytes: Buffer): void {
    this.#waiting.push({ client, bytes })
    this.#next()
  }

  #next(): void {
    const index = this.#waiting.findIndex(({ client }) => this.#user === null || client === this.#user)
    const [turn] = index < 0 ? [] : this.#waiting.splice(index, 1)
    if (!turn) return
    this.#user = turn.client
    this.socket.write(turn.bytes)
    this.#next()
  }

  #answer(messages: Buffer): void {
    this.#user?.write(messages)
    if (isReady(messages)) {
      this.#user = null
      this.#next()
    }
  }
}

const CODE = { ready: 'Z'.charCodeAt(0), idle: 'I'.charCodeAt(0), backend: 'K'.charCodeAt(0) }

/** Whether the last message says that the server is ready, outside a transaction. */
const isReady = (messages: Buffer): boolean => messages.at(-6) === CODE.ready && messages.at(-1) === CODE.idle

/** The length of the whole messages that bytes begin with. */
function lengthOfWhole(bytes: Buffer): number {
  let end = 0
  while (end + 5 <= bytes.length) {
    const next = end + 1 + bytes.readInt32BE(end + 1)
    if (next > bytes.length) break
    end = next
  }
  return end
}

/** The greeting with another process id. */
function withBackend(greeting: Buffer, pid: number): Buffer {
  const changed = Buffer.from(greeting)
  for (let at = 0; at < changed.length; at += 1 + changed.readInt32BE(at + 1))
    if (changed[at] === CODE.backend) changed.writeInt32BE(pid, at + 5)
  return changed
}
