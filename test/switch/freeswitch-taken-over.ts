import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { type Channel, channelsIn, SHOW_CHANNELS } from '../../adapters/freeswitch/socket/channels.ts'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/freeswitch.ts'
import type { PhoneAt } from './telephones.ts'

const NET = 50
const { phone, place, carrier } = placesIn(NET)
const desk = phone('acme', '101', 11)
const hall = phone('acme', '102', 12)
const thief = phone('beta', '101', 13)
const outside = place(66)

/** An INVITE with Replaces, which names a call by its Call-ID. */
describe('calls of a real FreeSWITCH that somebody else wants to take over', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab({ net: NET })
    await populate(lab)
    for (const each of [desk, hall, thief]) assert.deepEqual(await lab.phones.register(each), WENT)
  })
  after(() => lab?.close())

  const legs = async (): Promise<readonly Channel[]> => channelsIn(await lab.ask(SHOW_CHANNELS))
  const idle = (): Promise<true> => until('no call is up', async () => (await legs()).length === 0)
  const thieves = (): readonly (readonly [string, (callId: string) => ReturnType<Lab['phones']['takeOver']>])[] => [
    ['a telephone of another tenant', callId => lab.phones.takeOver(thief, callId)],
    ['a telephone of the tenant', callId => lab.phones.takeOver({ ...desk, port: 25_565 }, callId)],
    ['a host outside', callId => lab.carriers.takeOver(outside, callId)],
  ]
  /** The Call-ID of each leg. */
  const callIds = async (): Promise<string[]> =>
    Promise.all((await legs()).map(async ({ id }) => (await lab.ask(`uuid_getvar ${id} sip_call_id`)).trim()))

  /** Tries to take over each leg that is up. */
  const withstands = async (): Promise<void> => {
    const before = (await legs()).map(({ id }) => id)
    for (const callId of await callIds())
      for (const [who, takeOver] of thieves()) {
        assert.notDeepEqual(await takeOver(callId), WENT, who)
        const up = (await legs()).map(({ id }) => id)
        assert.deepEqual(
          before.filter(id => !up.includes(id)),
          [],
          who,
        )
      }
  }

  test('neither a telephone nor a host outside takes over a call that is up', () =>
    lab.taken(carrier, async () => {
      const calling = lab.phones.call(desk, '0501110051', 8_000)
      await until('it is up', async () => (await legs()).filter(({ isAnswered }) => isAnswered).length === 2)
      await withstands()
      assert.deepEqual(await calling, WENT)
      await idle()
    }))

  test('neither of them takes over a call that rings', async () => {
    const ringing = await lab.phones.ring(hall)
    const calling = lab.phones.call(desk, '102', 100)
    await until('it rings', async () => (await legs()).length === 2)
    await withstands()
    assert.ok((await legs()).every(({ isAnswered }) => !isAnswered))
    await lab.ask('hupall NORMAL_CLEARING')
    await calling
    ringing.stop()
    await ringing.done
    await idle()
  })

  test('what a host outside names in such an INVITE is not run', async () => {
    const received: string[] = []
    const socket = createSocket('udp4', message => received.push(String(message)))
    socket.bind(outside.port, outside.address)
    await once(socket, 'listening')
    const called = encodeURIComponent(`bridge:sofia/external/0901110052@${outside.address}:${outside.port}`)
    try {
      for (let attempt = 0; attempt < 20; attempt++) {
        socket.send(invite('380441234567', `first-${attempt}`), 25_580, `127.0.${NET}.1`)
        socket.send(invite(called, `second-${attempt}`, `first-${attempt}`), 25_580, `127.0.${NET}.1`)
        await until('it is answered', async () => received.some(each => isFinal(each, `second-${attempt}`)))
      }
      await idle()
      assert.deepEqual(
        received.filter(each => each.startsWith('INVITE')),
        [],
      )
    } finally {
      socket.close()
      await once(socket, 'close')
    }
  })

  test('a telephone still joins the two that it talks to', () =>
    lab.taken(carrier, () =>
      lab.taken(hall, async () => {
        const second: PhoneAt = { ...desk, port: 25_566 }
        const consulting = lab.phones.call(second, '0501110053', 10_000, 'consulting@lab')
        await until('the carrier has answered', async () =>
          (await legs()).some(({ isAnswered, mark }) => isAnswered && mark?.trunk),
        )
        await lab.phones.callAndTransfer(desk, '102', 700, '0501110053', 'consulting@lab')
        await consulting
        const both = await until('the two talk', async () => {
          const up = await legs()
          return up.length === 2 && up.every(({ isAnswered }) => isAnswered) && up
        })
        assert.ok(both.some(({ mark }) => mark?.trunk))
        await lab.ask('hupall NORMAL_CLEARING')
        const [record, ...others] = await lab.recorded('+380501110053')
        assert.deepEqual([record?.caller_number, record?.direction, others.length], ['101', 'outbound', 0])
        await idle()
      }),
    ))
})

const isFinal = (message: string, callId: string): boolean =>
  /^SIP\/2\.0 [2-6]/.test(message) && message.includes(`Call-ID: ${callId}\r\n`)

function invite(user: string, callId: string, replaced?: string): string {
  const { address, port } = outside
  const body = `v=0\r\no=lab 1 1 IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\nm=audio 25700 RTP/AVP 0\r\n`
  return [
    `INVITE sip:${user}@127.0.${NET}.1 SIP/2.0`,
    `Via: SIP/2.0/UDP ${address}:${port};branch=z9hG4bK${callId};rport`,
    'Max-Forwards: 70',
    `From: <sip:x@127.0.${NET}.1>;tag=${callId}`,
    `To: <sip:${user}@127.0.${NET}.1>`,
    `Call-ID: ${callId}`,
    'CSeq: 1 INVITE',
    `Contact: <sip:x@${address}:${port}>`,
    ...(replaced === undefined ? [] : [`Replaces: ${replaced};to-tag=x;from-tag=y`]),
    'Content-Type: application/sdp',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}
