import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { type Manager, openManager } from '../../../adapters/asterisk/manager.ts'
import { messageReader, valueIn } from '../../../adapters/asterisk/manager-messages.ts'
import { AppError } from '../../../core/errors.ts'

const BANNER = 'Asterisk Call Manager/11.0.0\r\n'
const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

type Actions = Readonly<Record<string, string>>

/** A manager interface that answers each action as configured; `null` sends nothing. */
async function held(answer: (action: Actions, socket: Socket) => string | null, banner = BANNER): Promise<Manager> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.write(banner)
    let pending = ''
    socket.setEncoding('utf8').on('data', piece => {
      pending += piece
      for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
        const lines = pending.slice(0, end).split('\r\n')
        pending = pending.slice(end + 4)
        const action = Object.fromEntries(
          lines.map(line => line.split(': ')).map(([name, value]) => [name, value ?? '']),
        )
        const reply = action['Action'] === 'Login' ? login(action) : answer(action, socket)
        // Byte by byte, as a network may deliver it.
        if (reply !== null && reply.length > 10_000) socket.write(reply)
        else for (const byte of reply ?? '') socket.write(byte)
      }
    })
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return openManager({ host: '127.0.0.1', port, user: 'trunkline', password: 'right' }, { connectMs: 2_000 })
}

const login = ({ ActionID, Secret }: Actions): string =>
  `Response: ${Secret === 'right' ? 'Success' : 'Error'}\r\nActionID: ${ActionID}\r\n\r\n`
const ok = ({ ActionID }: Actions, more = ''): string => `Response: Success\r\nActionID: ${ActionID}\r\n${more}\r\n`

function cutOff(_action: Actions, socket: Socket): null {
  socket.destroy()
  return null
}

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable'

describe('the manager interface', () => {
  test('answers actions by their ids, in whatever order, with events of others between', async () => {
    const waiting: string[] = []
    const manager = await held(action => {
      waiting.unshift(ok(action, `Message: ${action['Command']}\r\n`))
      return waiting.length === 2 ? `Event: FullyBooted\r\nStatus: x\r\n\r\n${waiting.join('')}` : null
    })
    const answers = ['one', 'two'].map(Command => manager.ask({ Action: 'Command', Command }))
    assert.deepEqual(
      (await Promise.all(answers)).map(answer => valueIn(answer, 'message')),
      ['one', 'two'],
    )
    manager.close()
    await manager.closed
  })

  test('prints what a command does, a line a field, and lists events until they are complete', async () => {
    const manager = await held(action => {
      if (action['Action'] === 'Command') return ok(action, 'Output: a: b\r\nOutput: \r\nOutput: c\r\n')
      const of = `ActionID: ${action['ActionID']}\r\n\r\n`
      const event = (name: string): string => `Event: CoreShowChannel\r\nChannel: ${name}\r\n${of}`
      return `${ok(action, 'EventList: start\r\n')}${event('x')}${event('y')}Event: End\r\nEventList: Complete\r\n${of}`
    })
    assert.equal(await manager.command('show'), 'a: b\n\nc')
    const listed = await manager.list({ Action: 'CoreShowChannels' })
    assert.deepEqual(
      listed.map(event => valueIn(event, 'channel')),
      ['x', 'y'],
    )
    manager.close()
  })

  test('a line end in a value makes no action of its own', async () => {
    const manager = await held(action => ok(action, `Message: ${action['Channel']}\r\n`))
    const answer = await manager.ask({ Action: 'Hangup', Channel: 'a\r\n\r\nAction: Originate' })
    assert.equal(valueIn(answer, 'message'), 'a    Action')
    manager.close()
  })

  for (const [what, answer] of [
    ['is cut off', cutOff],
    ['says nothing in time', () => null],
    ['never ends a message', () => 'x'.repeat(9 * 1024 * 1024)],
  ] as const)
    test(`one that ${what} fails the waiting requests, and later ones`, async () => {
      const manager = await held((action, socket) => answer(action, socket))
      await assert.rejects(manager.ask({ Action: 'Ping' }, 200), isUnavailable)
      await manager.closed
      await assert.rejects(manager.ask({ Action: 'Ping' }, 200), isUnavailable)
    })

  test('another program and a wrong password are reported as such', async () => {
    await assert.rejects(
      held(() => null, 'SSH-2.0-OpenSSH_9.2\r\n'),
      /not the manager interface/,
    )
    const server = createServer(socket => {
      socket.write(BANNER)
      socket.on('data', () => socket.write('Response: Error\r\nActionID: 1\r\nMessage: Authentication failed\r\n\r\n'))
      socket.on('error', () => undefined)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await assert.rejects(
      openManager({ host: '127.0.0.1', port, user: 'a', password: 'b' }),
      error => error instanceof AppError && error.code === 'forbidden' && !error.message.includes('b\r'),
    )
  })

  test('messages are the same however the bytes are cut', () => {
    const text = `${BANNER}Response: Success\r\nOutput: a\r\nOutput: b:c\r\n\r\nEvent: X\r\nEmpty:\r\n\r\n`
    for (let cut = 0; cut < text.length; cut++) {
      const read = messageReader()
      const messages = [...read(text.slice(0, cut)), ...read(text.slice(cut))]
      assert.deepEqual(
        messages.map(message => [...message]),
        [
          [
            ['response', ['Success']],
            ['output', ['a', 'b:c']],
          ],
          [
            ['event', ['X']],
            ['empty', ['']],
          ],
        ],
      )
    }
  })
})
