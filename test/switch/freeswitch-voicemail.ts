import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/freeswitch.ts'

const NET = 48
const { phone, carrier } = placesIn(NET)
const desk = phone('acme', '101', 11)
const hall = phone('acme', '102', 12)

describe('voicemail of a real FreeSWITCH', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab({ net: NET })
    await populate(lab)
    assert.deepEqual(await lab.phones.register(desk), WENT)
  })
  after(() => lab?.close())

  test('an extension without voicemail that does not answer has none', async () => {
    assert.equal((await lab.phones.call(desk, '102', 1_000)).code, 1)
  })

  test('voicemail answers a call that its extension does not take, whoever calls', async () => {
    await lab.cli('extension', 'update', 'acme/102', '--voicemail-enabled', 'true')
    assert.deepEqual(await lab.phones.call(desk, '102', 3_000), WENT)
    assert.deepEqual(await lab.carriers.callIn(carrier, '380671234567', '380441234567', 3_000), WENT)
    const record = (await lab.recorded('102')).find(({ disposition }) => disposition === 'ANSWERED')
    assert.deepEqual([record?.direction, record?.cost], ['inbound', '0.0000'])
  })

  test('an extension that dials *97 hears its own messages, and one without voicemail is refused', async () => {
    const boxes = async (): Promise<string> => (await lab.ask('vm_boxcount 102@acme.example.com|all')).trim()
    assert.equal((await lab.phones.call(desk, '*97', 500)).refusal, 404)
    assert.deepEqual(await lab.phones.callAndSpeak(desk, '102', 6_000), WENT)
    const left = await until('the message is stored', async () => {
      const [unheard = '0', heard = '0'] = (await boxes()).split(':')
      return Number(unheard) > 0 && heard === '0' && Number(unheard)
    })
    assert.deepEqual(await lab.phones.callAndPress(desk, '102', 6_000, '01#'), WENT)
    assert.equal((await boxes()).split(':')[1], '0', 'no PIN opens it to another phone')
    assert.deepEqual(await lab.phones.call(hall, '*97', 20_000), WENT)
    await until('it has been heard', async () => (await boxes()).split(':')[1] !== '0')
    assert.ok(left > 0)
    const [record] = await lab.recorded('*97')
    assert.deepEqual([record?.caller_number, record?.direction, record?.cost], ['102', 'inbound', '0.0000'])
  })
})
