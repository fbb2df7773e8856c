import { connect, type Socket } from 'node:net'
import { AppError } from '../../../core/errors.ts'
import { type Frame, frameReader } from './frames.ts'

/** The address of the event socket, and its password. */
export interface EventSocketPlace {
  readonly host: string
  readonly port: number
  readonly password: string
}

/** A connection on which FreeSWITCH takes commands. Replies come in the order of the commands. */
export interface EventSocket {
  /**
   * Returns FreeSWITCH's reply to an `api` command. Rejects with `unavailable` if the connection ends or stays silent.
   */
  api(command: string): Promise<string>
  /** Calls `onEnded` with the id of each channel that ends from now on, after its record was posted. */
  followEnds(onEnded: (channel: string) => void): Promise<void>
  close(): void
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>
}

export interface Patience {
  /** Milliseconds until the password must be accepted, and until each command must be answered. */
  readonly connectMs: number
  readonly replyMs: number
}

const PATIENCE: Patience = { connectMs: 5_000, replyMs: 20_000 }
const MOST_WAITING = 10_000

const ENDED = /^Event-Name: CHANNEL_DESTROY$[\s\S]*?^Unique-ID: ([\w-]{1,100})$/m

interface Waiting {
  resolve(frame: Frame): void
  reject(error: AppError): void
}

/** Connects and logs in. Rejects with `unavailable`, or `forbidden` if the password is refused. */
export async function openEventSocket(place: EventSocketPlace, patience: Patience = PATIENCE): Promise<EventSocket> {
  const { host, port, password } = place
  const name = `The event socket at ${host}:${port}`
  const socket = connect({ host, port, noDelay: true })
  let onEnded: (channel: string) => void = () => undefined
  const { expect, fail, closed } = conversation(socket, name, body => {
    const channel = ENDED.exec(body)?.[1]
    if (channel !== undefined) onEnded(channel)
  })
  const deadline = setTimeout(() => fail(`${name} did not answer in time.`), patience.connectMs)
  try {
    await expect('auth/request')
    socket.write(`auth ${oneLine(password)}\n\n`)
    const { headers } = await expect('command/reply')
    if (!headers.get('reply-text')?.startsWith('+OK'))
      throw new AppError('forbidden', `${name} refuses the password of the settings.`)
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(deadline)
  }
  const ask = async (command: string, reply: string): Promise<Frame> => {
    const line = oneLine(command)
    const tooLong = setTimeout(() => fail(`${name} did not answer a command in time.`), patience.replyMs)
    socket.write(`${line}\n\n`)
    try {
      return await expect(reply)
    } finally {
      clearTimeout(tooLong)
    }
  }
  return {
    closed,
    close: () => socket.destroy(),
    api: async command => (await ask(`api ${command}`, 'api/response')).body,
    followEnds: async call => {
      onEnded = call
      await ask('event plain CHANNEL_DESTROY', 'command/reply')
    },
  }
}

/** Expects frames in order; ends for good on the first error. Events come between them. */
function conversation(socket: Socket, name: string, onEvent: (body: string) => void) {
  const waiting: Waiting[] = []
  const early: Frame[] = []
  const read = frameReader()
  let failure: AppError | null = null
  const stop = (error: AppError): void => {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
    socket.destroy()
  }
  const fail = (message: string, cause?: unknown): void => stop(new AppError('unavailable', message, { cause }))
  const take = (frame: Frame): void => {
    const type = frame.headers.get('content-type')
    const isEvent = type === 'text/event-plain'
    const isEnd = type === 'text/rude-rejection' || type === 'text/disconnect-notice'
    const first = isEvent || isEnd ? undefined : waiting.shift()
    if (isEvent) onEvent(frame.body)
    else if (type === 'text/rude-rejection') fail(`${name} refuses connections from this address.`)
    else if (isEnd) fail(`${name} has closed the connection.`)
    else if (first) first.resolve(frame)
    else if (early.push(frame) > 1) fail(`${name} sends unrequested data.`)
  }
  socket.on('data', piece => {
    try {
      for (const frame of read(piece)) if (!failure) take(frame)
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
  const next = (): Promise<Frame> =>
    new Promise((resolve, reject) => {
      const frame = early.shift()
      if (failure) reject(failure)
      else if (frame) resolve(frame)
      else if (waiting.length >= MOST_WAITING) reject(new AppError('busy', `${name} has too many commands to answer.`))
      else waiting.push({ resolve, reject })
    })
  const expect = async (type: string): Promise<Frame> => {
    const frame = await next()
    if (frame.headers.get('content-type') === type) return frame
    fail(`${name} does not answer like FreeSWITCH.`)
    throw failure ?? new AppError('unavailable', `${name} cannot be read.`)
  }
  return { expect, fail, closed }
}

/** A line end would start another command. */
function oneLine(text: string): string {
  if (/[\r\n\0]/.test(text)) throw new AppError('malformed', 'A command of the event socket is one line.')
  return text
}
