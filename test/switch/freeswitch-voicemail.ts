import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, skip, WENT } from './lab/freeswitch.ts'

const NET = 48
const { phone, carrier } = placesIn(NET)
const desk = phone('acme', '101', 11)

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
})
