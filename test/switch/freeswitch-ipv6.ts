import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/freeswitch.ts'

const NET = 52
const LOOPBACK = '::1'
const at = (user: string, port: number) => ({ ...placesIn(NET).phone('acme', user, 1), address: LOOPBACK, port })
const desk = at('101', 25_571)
const hall = at('102', 25_572)

describe('telephones of a real FreeSWITCH over IPv6', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab({ net: NET, address: LOOPBACK })
    await populate(lab)
  })
  after(() => lab?.close())

  test('a telephone is called where its REGISTER came from, whatever host it names', async () => {
    const received: string[] = []
    const elsewhere = createSocket('udp6', message => received.push(String(message)))
    elsewhere.bind(25_573, LOOPBACK)
    await once(elsewhere, 'listening')
    const path = `;fs_path=${encodeURIComponent(`sip:102@[${LOOPBACK}]:25573`)}`
    try {
      assert.deepEqual(await lab.phones.register(desk), WENT)
      for (const contact of [`[${LOOPBACK}]:25573`, `[${LOOPBACK}]:25573${path}`]) {
        assert.deepEqual(await lab.phones.register(hall, 300, contact), WENT)
        const answering = await lab.answered(hall)
        assert.deepEqual(await lab.phones.call(desk, '102', 300), WENT)
        answering.stop()
        await answering.done
        await until('no call is up', async () => (await lab.channels()) === 0)
      }
      assert.deepEqual(received, [])
    } finally {
      elsewhere.close()
      await once(elsewhere, 'close')
    }
  })
})
