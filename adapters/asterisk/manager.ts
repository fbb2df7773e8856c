import { connect, type Socket } from 'node:net'
import { AppError } from '../../core/errors.ts'
import { type ManagerMessage, messageReader, valueIn } from './manager-messages.ts'

/** The address of the manager interface, and the login. */
export interface ManagerPlace {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

/** A connection to the manager interface. Once it has ended, everything rejects with `unavailable`. */
export interface Manager {
  /** Returns Asterisk's answer to an action; also rejects after that many milliseconds without one. */
  ask(action: Action, ms?: number): Promise<ManagerMessage>
  /** Returns the events of an action that answers with a list. */
  list(action: Action): Promise<readonly ManagerMessage[]>
  /** Returns the output of a console command. */
  command(text: string): Promise<string>
  close(): void
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>
}

export type Action = Readonly<Record<string, string>> & { readonly Action: string }

const CONNECT_MS = 5_000
const REPLY_MS = 10_000
const MOST_EVENTS = 200_000

interface Waiting {
  take(message: ManagerMessage): void
  fail(error: AppError): void
}

export interface ManagerOptions {
  /** Milliseconds. */
  readonly connectMs?: number
  /** Called with each event that the dialplan sends; without it, none is requested. */
  readonly onUserEvent?: (event: ManagerMessage) => void
}

/** Connects and logs in. Rejects with `unavailable`, or `forbidden` if the password is refused. */
export async function openManager(
  place: ManagerPlace,
  { connectMs = CONNECT_MS, onUserEvent }: ManagerOptions = {},
): Promise<Manager> {
  const { host, port, user, password } = place
  const name = `The manager interface at ${host}:${port}`
  const socket = connect({ host, port, noDelay: true })
  const { talk, closed } = questions(socket, name, onUserEvent)
  const ask: Manager['ask'] = async (action, ms = REPLY_MS) => {
    const [response] = await talk(action, ms, () => true)
    return response ?? new Map()
  }
  try {
    const Events = onUserEvent ? 'user' : 'off'
    const login = await ask({ Action: 'Login', Username: user, Secret: password, Events }, connectMs)
    if (valueIn(login, 'response') !== 'Success')
      throw new AppError('forbidden', `${name} refuses the user or the password of the settings.`)
  } catch (error) {
    socket.destroy()
    throw error
  }
  return {
    ask,
    list: async action => {
      const messages = await talk(action, REPLY_MS, all => isListed(all))
      return messages.filter(message => message.has('event') && !message.has('eventlist'))
    },
    command: async text => ((await ask({ Action: 'Command', Command: text })).get('output') ?? []).join('\n'),
    close: () => socket.destroy(),
    closed,
  }
}

/** Asks on a connection of its own, which ends afterwards. */
export async function onManager<T>(place: ManagerPlace, ask: (manager: Manager) => Promise<T>): Promise<T> {
  const manager = await openManager(place)
  try {
    return await ask(manager)
  } finally {
    manager.close()
  }
}

/** Sends actions, each with an id of its own, and gathers the messages that answer them. */
function questions(socket: Socket, name: string, onUserEvent: ManagerOptions['onUserEvent']) {
  const { waiting, fail, closed } = conversation(socket, name, onUserEvent)
  let last = 0
  const talk = (action: Action, ms: number, isWhole: (messages: readonly ManagerMessage[]) => boolean) =>
    new Promise<ManagerMessage[]>((resolve, reject) => {
      const id = String(++last)
      const messages: ManagerMessage[] = []
      const end = (): void => {
        clearTimeout(deadline)
        waiting.delete(id)
      }
      const deadline = setTimeout(() => fail(`${name} did not answer ${action.Action} in time.`), ms)
      waiting.set(id, {
        take: message => {
          if (messages.push(message) > MOST_EVENTS) return fail(`${name} lists more than ${MOST_EVENTS}.`)
          if (!isWhole(messages)) return
          end()
          resolve(messages)
        },
        fail: error => {
          end()
          reject(error)
        },
      })
      socket.write(textOf({ ...action, ActionID: id }))
      if (socket.destroyed) fail(`${name} has closed the connection.`)
    })
  return { talk, closed }
}

function isListed(messages: readonly ManagerMessage[]): boolean {
  const [response] = messages
  const isRefused = response !== undefined && valueIn(response, 'response') === 'Error'
  return isRefused || messages.some(message => valueIn(message, 'eventlist') === 'Complete')
}

/** A line end in a value would start another action. */
const textOf = (action: Action): string =>
  `${Object.entries(action)
    .map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}\r\n`)
    .join('')}\r\n`

/** Hands each message to whoever waits for it; ends for good on the first error. */
function conversation(socket: Socket, name: string, onUserEvent: ManagerOptions['onUserEvent']) {
  const waiting = new Map<string, Waiting>()
  const read = messageReader()
  const stop = (error: AppError): void => {
    socket.destroy()
    for (const each of [...waiting.values()]) each.fail(error)
  }
  const fail = (message: string, cause?: unknown): void => stop(new AppError('unavailable', message, { cause }))
  socket.setEncoding('utf8')
  socket.on('data', piece => {
    try {
      for (const message of read(String(piece)))
        if (valueIn(message, 'event') === 'UserEvent') onUserEvent?.(message)
        else waiting.get(valueIn(message, 'actionid'))?.take(message)
    } catch (error) {
      stop(error instanceof AppError ? error : new AppError('unavailable', `${name} cannot be read.`, { cause: error }))
    }
  })
  socket.on('error', error => fail(`${name} cannot be reached.`, error))
  const closed = new Promise<void>(resolve =>
    socket.once('close', () => {
      fail(`${name} has closed the connection.`)
      resolve()
    }),
  )
  return { waiting, fail, closed }
}
