import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { MODULES, markerIn } from '../../../adapters/asterisk/marked.ts'
import { FILES, type FileName } from '../../../adapters/asterisk/render/files.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'

export const BANNER = 'Asterisk Call Manager/11.0.0\r\n'
export const PASSWORD = 'right'

export type Actions = Readonly<Record<string, string>>
/** What to send for an action; null for nothing. */
export type Answer = (action: Actions, socket: Socket) => string | null

export const ok = ({ ActionID }: Actions, more = ''): string =>
  `Response: Success\r\nActionID: ${ActionID}\r\n${more}\r\n`

export const login = (action: Actions): string =>
  action['Secret'] === PASSWORD ? ok(action) : `Response: Error\r\nActionID: ${action['ActionID']}\r\n\r\n`

/** An answer that lists events. */
export function listed(action: Actions, event: string, items: readonly Actions[]): string {
  const of = `ActionID: ${action['ActionID']}\r\n`
  const fields = (item: Actions): string =>
    Object.entries(item)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
  const events = items.map(item => `Event: ${event}\r\n${of}${fields(item)}\r\n`)
  return `${ok(action, 'EventList: start\r\n')}${events.join('')}Event: ${event}Complete\r\nEventList: Complete\r\n${of}\r\n`
}

export interface HeldManager {
  readonly port: number
  /** Cuts every connection. */
  cut(): void
  /** Sends a message to every connection, byte by byte. */
  send(message: string): void
  close(): Promise<void>
}

/** A simulated manager interface: it speaks byte by byte, and answers as `answer` says. */
export async function heldManager(answer: Answer, banner = BANNER, port = 0): Promise<HeldManager> {
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.write(banner)
    let pending = ''
    socket.setEncoding('utf8').on('data', piece => {
      pending += piece
      for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
        const action = actionIn(pending.slice(0, end))
        pending = pending.slice(end + 4)
        const reply = action['Action'] === 'Login' ? login(action) : answer(action, socket)
        // Byte by byte, as a network may deliver it.
        if (reply !== null && reply.length > 10_000) socket.write(reply)
        else for (const byte of reply ?? '') socket.write(byte)
      }
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    send: message => {
      for (const socket of sockets) for (const byte of message) socket.write(byte)
    },
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

const actionIn = (text: string): Actions =>
  Object.fromEntries(
    text
      .split('\r\n')
      .map(line => line.split(': '))
      .map(([name, value]) => [name, value ?? '']),
  )

/** What a switch behind a simulated manager interface has loaded, and the commands it received. */
export interface ModelSwitch {
  readonly answer: Answer
  readonly asked: Actions[]
  readonly loaded: Map<FileName, string>
  readonly channels: Actions[]
  /** Its own database: values by key. */
  readonly entries: Map<string, string>
  /** Reloads report success, but load nothing. */
  isDeaf: boolean
  /** The SQLite file from which it reads telephones; null for none. */
  database: string | null
}

/** The part of Asterisk that the follower talks to: it reads the files of the folder on command. */
export function modelSwitch(folder: string): ModelSwitch {
  const model: ModelSwitch = {
    ...{ asked: [], loaded: new Map(), channels: [], entries: new Map(), isDeaf: false, database: null },
    answer: action => {
      model.asked.push(action)
      if (action['Action'] === 'CoreShowChannels') return listed(action, 'CoreShowChannel', model.channels)
      if (action['Action'] === 'Hangup') {
        const at = model.channels.findIndex(({ Channel }) => Channel === action['Channel'])
        if (at >= 0) model.channels.splice(at, 1)
        return ok(action)
      }
      const { Family, Key } = action
      if (action['Action'] === 'DBGetTree') {
        const found = [...model.entries].filter(([key]) => key.startsWith(`/${Family}/`))
        return listed(
          action,
          'DBGetTreeResponse',
          found.map(([key, Val]) => ({ Key: key, Val })),
        )
      }
      if (action['Action'] === 'DBDel') {
        model.entries.delete(`/${Family}/${Key}`)
        return ok(action)
      }
      const reloaded = FILES.find(name => MODULES[name].module === action['Module'])
      if (reloaded && !model.isDeaf)
        model.loaded.set(reloaded, markerIn(readFileSync(join(folder, `${reloaded}.conf`), 'utf8')) ?? '')
      if (action['Action'] === 'Reload') return ok(action, 'Message: Module Reloaded\r\n')
      if (action['Command'] === 'pjsip show endpoint __telephones')
        return ok(
          action,
          `Output: ${model.database === null ? 'Unable to find it' : accountcodeIn(model.database)}\r\n`,
        )
      const shown = FILES.find(name => action['Command']?.startsWith(MODULES[name].show('').split(' ')[0] ?? '-'))
      const marker = shown && model.loaded.get(shown)
      return ok(action, `Output: ${marker && action['Command'] ? marker : 'No such marker'}\r\n`)
    },
  }
  return model
}

function accountcodeIn(path: string): unknown {
  const db = new Sqlite(path, { readonly: true })
  const found = db.prepare("SELECT accountcode FROM tl_endpoints WHERE id = '__telephones'").pluck().get()
  db.close()
  return found
}
