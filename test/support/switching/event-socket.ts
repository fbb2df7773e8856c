import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { EventSocketPlace } from '../../../adapters/freeswitch/socket/event-socket.ts'

export const PASSWORD = 'of-the-tests'

/** A simulated FreeSWITCH: it records its commands, and answers as the test says. */
export interface HeldSwitch {
  readonly place: EventSocketPlace
  /** Every command, in order. */
  readonly commands: string[]
  /** The number of logins. */
  readonly logins: () => number
  /** Sends an event to all connections. */
  tell(event: string, headers: Readonly<Record<string, string>>): void
  /** Cuts all connections. */
  cut(): void
  close(): Promise<void>
}

export interface Behaviour {
  /** The answer to a command; null for none. `+OK` by default. */
  readonly answer?: (command: string) => string | null | Promise<string | null>
  /** Sends the bytes; unchanged by default. */
  readonly send?: (socket: Socket, text: string) => void
  /** What a new connection receives instead of the request to log in. */
  readonly greeting?: string
}

export async function heldSwitch(behaviour: Behaviour = {}): Promise<HeldSwitch> {
  const { answer = () => '+OK\n', greeting = 'Content-Type: auth/request\n\n' } = behaviour
  const send = behaviour.send ?? ((socket: Socket, text: string): void => void socket.write(text))
  const commands: string[] = []
  const sockets = new Set<Socket>()
  let logins = 0
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    send(socket, greeting)
    let text = ''
    const handle = async (line: string): Promise<void> => {
      if (line.startsWith('auth ')) {
        const isRight = line === `auth ${PASSWORD}`
        if (isRight) logins++
        return send(socket, `Content-Type: command/reply\nReply-Text: ${isRight ? '+OK accepted' : '-ERR invalid'}\n\n`)
      }
      if (line.startsWith('event ')) return send(socket, 'Content-Type: command/reply\nReply-Text: +OK\n\n')
      const command = line.replace(/^api /, '')
      commands.push(command)
      const body = await answer(command)
      if (body !== null)
        send(socket, `Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`)
    }
    let handling = Promise.resolve()
    socket.on('data', piece => {
      text += piece
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        handling = handling.then(() => handle(line))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    place: { host: '127.0.0.1', port, password: PASSWORD },
    commands,
    logins: () => logins,
    tell: (event, headers) => {
      const lines = Object.entries({ 'Event-Name': event, ...headers }).map(([name, value]) => `${name}: ${value}\n`)
      const body = `${lines.join('')}\n`
      for (const socket of sockets)
        send(socket, `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-plain\n\n${body}`)
    },
    cut,
    close: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
