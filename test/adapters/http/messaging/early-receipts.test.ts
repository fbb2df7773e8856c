import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { columnOf } from '../../../support/data/stored.ts'
import { addGateway, json as answerJson, MESSAGE } from '../../../support/messaging/gateway.ts'
import { keepSending } from '../../../support/messaging/messages.ts'
import { smsPlace } from '../../../support/messaging/sms-place.ts'

const RECEIVED = { message: 'DLR received' }
const place = smsPlace({ gateway_timeout: 15 })
const { receipt, sent } = place

describe('a receipt that comes before the reply to its send', () => {
  it('is applied with the reply, for any external id', async () => {
    for (const externalId of ['early-1', '12345678901234567890']) {
      place.gateway.answer(async response => {
        const early = await receipt({ id: externalId, status: 'DELIVRD', err: '000' })
        assert.deepEqual([early.status, early.json], [200, RECEIVED])
        answerJson(response, 200, { id: externalId })
      })
      const { data } = (await place.world.send('POST', `/api/sms-gateways/${place.id}/send`, MESSAGE)).json
      assert.equal(data.delivery_status, 'delivrd')
      assert.ok(data.submitted_at && data.delivered_at > data.submitted_at)
      assert.deepEqual(data.remote_response, { id: externalId, status: 'DELIVRD', err: '000' })
      assert.equal(data.external_message_id, externalId)
    }
  })

  it('is applied in the order of coming when there are several, once', async () => {
    place.gateway.answer(async response => {
      for (const status of ['ENROUTE', 'ACCEPTD', 'DELIVRD']) await receipt({ id: 'early-2', status, [status]: 1 })
      answerJson(response, 200, { id: 'early-2' })
    })
    const { data } = (await place.world.send('POST', `/api/sms-gateways/${place.id}/send`, MESSAGE)).json
    assert.equal(data.delivery_status, 'delivrd')
    assert.deepEqual(data.remote_response, { id: 'early-2', status: 'DELIVRD', ENROUTE: 1, ACCEPTD: 1, DELIVRD: 1 })
    const parked = `SELECT count(*) FROM parked_receipts WHERE external_message_id = 'early-2'`
    assert.deepEqual(await columnOf(place.world.service.trunkline.storage, parked), [0])
  })

  it('waits for its own gateway only', async () => {
    const other = await addGateway(place.world.service, place.world.session, place.gateway)
    const { messages } = place.world.service.trunkline.storage
    for (const gatewayId of [place.id, other]) await keepSending(messages, gatewayId)
    await receipt({ id: 'early-3' }, other)
    assert.equal((await sent('early-3')).delivery_status, 'submitted')
    assert.equal((await sent('early-3', other)).delivery_status, 'delivered')
  })

  it('is not lost among a hundred that come at once', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => `burst-${i}`)
    place.gateway.answer(async (response, { text }) => {
      const externalId: string = JSON.parse(text).content
      const early = receipt({ id: externalId, status: 'DELIVRD' })
      if (externalId.endsWith('7')) await early
      answerJson(response, 200, { id: externalId })
      await early
    })
    const path = `/api/sms-gateways/${place.id}/send`
    await Promise.all(ids.map(message => place.world.send('POST', path, { ...MESSAGE, message })))
    // Whichever came first, a receipt sent after all of them finds them all.
    await receipt({ id: 'burst-0', status: 'DELIVRD' })
    const { data } = (await place.world.get(`/api/sms-gateways/${place.id}/messages`)).json
    assert.deepEqual(
      [...new Set(data.map((message: { delivery_status: string }) => message.delivery_status))],
      ['delivrd'],
    )
  })
})
