import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type EventSocket, openEventSocket, type Patience } from '../../../adapters/freeswitch/socket/event-socket.ts'
import { frameReader } from '../../../adapters/freeswitch/socket/frames.ts'
import { AppError, type ErrorCode } from '../../../core/errors.ts'
import { type Behaviour, type HeldSwitch, heldSwitch } from '../../support/switching/event-socket.ts'

const LONG = 60_000
const PATIENT: Patience = { connectMs: LONG, replyMs: LONG }

/** Runs a test on a connection to a simulated switch. */
const connected = async (
  behaviour: Behaviour,
  run: (socket: EventSocket, held: HeldSwitch) => Promise<void>,
  patience = PATIENT,
): Promise<void> => {
  const held = await heldSwitch(behaviour)
  try {
    const socket = await openEventSocket(held.place, patience)
    await run(socket, held)
    socket.close()
  } finally {
    await held.close()
  }
}

const fails = (code: ErrorCode, what: RegExp) => (error: unknown) =>
  error instanceof AppError && error.code === code && what.test(error.message)

describe('the event socket', () => {
  test('answers commands in their order, however many are asked at once', () =>
    connected({ answer: command => `answer to ${command}` }, async socket => {
      const asked = Array.from({ length: 50 }, (_, n) => `status ${n}`)
      assert.deepEqual(
        await Promise.all(asked.map(socket.api)),
        asked.map(each => `answer to ${each}`),
      )
    }))

  test('is read byte by byte', async () => {
    const bytewise = async (socket: Socket, text: string): Promise<void> => {
      for (const byte of Buffer.from(text)) {
        if (!socket.write(Buffer.of(byte))) await once(socket, 'drain')
        await nextTurn()
      }
    }
    const body = 'Олена\n\nContent-Length: 7\n\n'
    await connected({ answer: () => body, send: bytewise }, async socket => {
      assert.equal(await socket.api('status'), body)
      assert.equal(await socket.api('status'), body)
    })
  })

  test('reports the channels that end, between replies, and no other event', () =>
    connected({}, async (socket, held) => {
      const ended: string[] = []
      await socket.followEnds(channel => ended.push(channel))
      held.tell('CHANNEL_DESTROY', { 'Core-UUID': 'of-the-switch', 'Unique-ID': 'a-1', variable_x: 'Unique-ID%3A%20b' })
      held.tell('CHANNEL_CREATE', { 'Unique-ID': 'c-1' })
      held.tell('CHANNEL_DESTROY', {})
      held.tell('CHANNEL_DESTROY', { 'Unique-ID': 'a-2' })
      assert.equal(await socket.api('status'), '+OK\n')
      assert.deepEqual(ended, ['a-1', 'a-2'])
    }))

  test('reports a wrong password as such', async () => {
    const held = await heldSwitch()
    await assert.rejects(openEventSocket({ ...held.place, password: 'wrong' }, PATIENT), fails('forbidden', /password/))
    await held.close()
  })

  test('refuses two commands in one, and waits for no answer to them', () =>
    connected({}, async (socket, held) => {
      const timers = (): number => process.getActiveResourcesInfo().filter(each => each === 'Timeout').length
      const before = timers()
      for (const command of ['status\n\napi shutdown', 'status\r\nx', 'a\0b'])
        await assert.rejects(socket.api(command), fails('malformed', /one line/))
      assert.equal(timers(), before)
      await socket.api('status')
      assert.deepEqual(held.commands, ['status'])
    }))

  test('that is cut fails every waiting command, and later ones', () =>
    connected({ answer: () => null }, async (socket, held) => {
      const waiting = [socket.api('a'), socket.api('b')].map(each =>
        assert.rejects(each, fails('unavailable', /closed|reached/)),
      )
      held.cut()
      await Promise.all(waiting)
      await socket.closed
      await assert.rejects(socket.api('c'), fails('unavailable', /closed|reached/))
    }))

  test('that does not answer is given up', async () => {
    const asking = (socket: EventSocket) => assert.rejects(socket.api('a'), fails('unavailable', /in time/))
    await connected({ answer: () => null }, asking, { ...PATIENT, replyMs: 100 })
    const mute = await heldSwitch({ greeting: '' })
    await assert.rejects(openEventSocket(mute.place, { ...PATIENT, connectMs: 100 }), fails('unavailable', /in time/))
    await mute.close()
    await assert.rejects(openEventSocket(mute.place, PATIENT), fails('unavailable', /cannot be reached/))
  })

  test('that refuses the address, or is another program, is reported as such', async () => {
    for (const [greeting, what] of [
      ['Content-Type: text/rude-rejection\nContent-Length: 24\n\nAccess Denied, go away.\n', /this address/],
      ['SSH-2.0-OpenSSH_9.2p1\r\n\n\n', /not an event socket|not answer like/],
      ['HTTP/1.1 400 Bad Request\n\n', /not an event socket/],
      [`${'x'.repeat(70_000)}`, /headers do not end/],
      ['Content-Type: auth/request\nContent-Length: -1\n\n', /readable length/],
      ['Content-Type: auth/request\nContent-Length: 99999999999\n\n', /readable length/],
      ['Content-Type: api/response\n\n', /not answer like/],
    ] as const) {
      const held = await heldSwitch({ greeting })
      await assert.rejects(openEventSocket(held.place, PATIENT), fails('unavailable', what), greeting.slice(0, 40))
      await held.close()
    }
  })

  test('that sends an unexpected reply is closed', () =>
    connected(
      { answer: () => 'a', send: (socket, text) => void socket.write(text.includes('api/') ? text.repeat(3) : text) },
      async socket => {
        await socket.api('a')
        await socket.closed
        await assert.rejects(socket.api('b'), fails('unavailable', /unrequested data/))
      },
    ))
})

test('frames come whole, in whatever pieces', () => {
  const text = 'Content-Type: a\n\nContent-Type: b\nContent-Length: 3\n\nxyzContent-Type: c\nContent-Length: 0\n\n'
  for (let size = 1; size <= text.length; size++) {
    const read = frameReader()
    const frames = []
    for (let at = 0; at < text.length; at += size) frames.push(...read(Buffer.from(text.slice(at, at + size))))
    assert.deepEqual(
      frames.map(({ headers, body }) => [headers.get('content-type'), body]),
      [
        ['a', ''],
        ['b', 'xyz'],
        ['c', ''],
      ],
    )
  }
})
