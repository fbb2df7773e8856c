import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { smsMessages } from '../../../../core/resources/sms-messages.ts'
import { columnOf } from '../../../support/data/stored.ts'
import { addGateway, MESSAGE } from '../../../support/messaging/gateway.ts'
import { smsPlace } from '../../../support/messaging/sms-place.ts'

const RECEIVED = { message: 'DLR received' }
const MIB = 1024 * 1024
const place = smsPlace()
const { post, receipt, routes, sent, stored } = place

describe('a receipt', () => {
  it('of either route, JSON or a form, changes the message and answers without a session', async () => {
    const FORM = 'application/x-www-form-urlencoded'
    for (const [i, path] of routes().entries())
      for (const type of ['application/json', `${FORM}; charset=utf-8`]) {
        const message = await sent(`m-${i}-${type}`)
        const payload = { message_id: message.external_message_id, status: 'DELIVRD', done_date: '2611202101' }
        const body = type === 'application/json' ? JSON.stringify(payload) : new URLSearchParams(payload).toString()
        const answer = await post(path, body, type)
        assert.deepEqual([answer.status, answer.json], [200, RECEIVED])
        const { delivery_status, delivered_at, remote_response, updated_at, ...rest } = await stored()
        assert.equal(delivery_status, 'delivrd')
        assert.ok(delivered_at > message.submitted_at && updated_at > message.updated_at)
        assert.deepEqual(remote_response, { ...message.remote_response, ...payload })
        assert.deepEqual({ ...message, ...rest }, message)
      }
  })

  it('names its message by message_id, id or messageId, in this order', async () => {
    for (const payload of [
      { message_id: 'right', id: 'wrong', messageId: 'wrong' },
      { id: 'right', messageId: 'wrong' },
      { messageId: 'right' },
      { message_id: null, id: '', messageId: ' right ' },
    ]) {
      await sent('right')
      await receipt({ ...payload, status: 'seen' })
      assert.equal((await stored()).delivery_status, 'seen', JSON.stringify(payload))
    }
  })

  it('names its status by status or message_status, or else it is delivered', async () => {
    const cases: [object, string][] = [
      [{ status: 'UNDELIV', message_status: 'x' }, 'undeliv'],
      [{ message_status: 'ESME_ROK' }, 'esme_rok'],
      [{ status: '', message_status: 'Expired' }, 'expired'],
      [{}, 'delivered'],
      [{ status: 7 }, '7'],
    ]
    for (const [payload, status] of cases) {
      await sent('s-1')
      await receipt({ id: 's-1', ...payload })
      assert.equal((await stored()).delivery_status, status, JSON.stringify(payload))
    }
  })

  it('whose status is not text is merged and changes nothing', async () => {
    for (const status of [{ groupName: 'REJECTED' }, ['UNDELIV'], false, null, '']) {
      const { external_message_id } = await sent(`odd-${JSON.stringify(status)}`)
      await receipt({ id: external_message_id, status, seen: 1 })
      const { delivery_status, delivered_at, remote_response } = await stored()
      assert.deepEqual([delivery_status, delivered_at], ['submitted', null], JSON.stringify(status))
      assert.deepEqual([remote_response.status, remote_response.seen], [status, 1])
    }
  })

  it('finds a message by a number of any length', async () => {
    place.gateway.answerWith(200, '{"id":12345678901234567890}')
    await place.world.send('POST', `/api/sms-gateways/${place.id}/send`, MESSAGE)
    await post(routes()[0] ?? '', '{"id":12345678901234567890,"price":0.10000000000000000001}')
    const shown = await place.world.get(`/api/sms-gateways/${place.id}/messages`)
    assert.equal(shown.json.data[0].delivery_status, 'delivered')
    assert.ok(shown.text.includes('"price":0.10000000000000000001'))
  })

  it('that comes twice leaves the same record, except the time', async () => {
    await sent('twice')
    await receipt({ id: 'twice', status: 'DELIVRD', a: 1 })
    const first = await stored()
    await receipt({ id: 'twice', status: 'DELIVRD', a: 1 })
    const second = await stored()
    assert.ok(second.delivered_at > first.delivered_at)
    const { delivered_at, updated_at } = first
    assert.deepEqual({ ...second, delivered_at, updated_at }, first)
  })

  it('that follows another is merged member by member, not deeply', async () => {
    await sent('merge')
    await receipt({ id: 'merge', status: 'one', deep: { a: 1 }, kept: 'over' })
    await receipt({ id: 'merge', status: 'two', deep: { b: 2 } })
    const { delivery_status, remote_response } = await stored()
    assert.equal(delivery_status, 'two')
    assert.deepEqual(remote_response, { id: 'merge', kept: 'over', status: 'two', deep: { b: 2 } })
  })

  it('changes only a message of its own gateway', async () => {
    const other = await addGateway(place.world.service, place.world.session, place.gateway)
    await sent('shared')
    await sent('shared', other)
    await receipt({ id: 'shared', status: 'gone' }, other)
    assert.equal((await stored()).delivery_status, 'submitted')
    assert.equal((await stored(other)).delivery_status, 'gone')
  })

  it('reaches a failed message too', async () => {
    place.gateway.answerWith(500, 'no')
    const { external_message_id } = (await place.world.send('POST', `/api/sms-gateways/${place.id}/send`, MESSAGE)).json
      .data
    await receipt({ id: external_message_id, status: 'DELIVRD' })
    const { delivery_status, error_message, delivered_at } = await stored()
    assert.deepEqual([delivery_status, error_message], ['delivrd', 'HTTP 500: no'])
    assert.ok(delivered_at)
  })

  it('of a form keeps values as text, the last of repeated ones, and dots and brackets in names', async () => {
    await sent('form-1')
    const form = 'id=wrong&id=form-1&level=2&a.b=c&d[]=e&d[]=f&text=Hello+w%C3%B6rld&status=one&status=two&flag'
    await post(routes()[0] ?? '', form, 'application/x-www-form-urlencoded')
    const { delivery_status, remote_response } = await stored()
    assert.equal(delivery_status, 'two')
    const expected = { level: '2', 'a.b': 'c', 'd[]': 'f', text: 'Hello wörld', status: 'two', flag: '' }
    assert.deepEqual(remote_response, { kept: 'from the reply', id: 'form-1', ...expected })
  })

  it('takes __proto__ and constructor as plain data', async () => {
    const hostile = '{"id":"proto-1","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    for (const text of [hostile, hostile.replace('"polluted":1', '"polluted":12345678901234567890')]) {
      await sent('proto-1')
      assert.equal((await post(routes()[0] ?? '', text)).status, 200)
      const shown = await place.world.get(`/api/sms-gateways/${place.id}/messages`)
      assert.equal(shown.json.data[0].delivery_status, 'delivered')
      assert.ok(shown.text.includes('"__proto__":{"polluted":1'), shown.text)
      assert.equal(Reflect.get({}, 'polluted'), undefined)
    }
    await sent('proto-2')
    await post(routes()[0] ?? '', 'id=proto-2&__proto__=x&toString=y', 'application/x-www-form-urlencoded')
    assert.ok(
      (await place.world.get(`/api/sms-gateways/${place.id}/messages`)).text.includes('"__proto__":"x","toString":"y"'),
    )
  })

  it('that is unintelligible is answered with 200 and changes nothing', async () => {
    const message = await sent('calm')
    const bodies: [string, string][] = [
      ['', 'application/json'],
      ['{', 'application/json'],
      ['[{"id":"calm"}]', 'application/json'],
      ['"calm"', 'application/json'],
      ['null', 'application/json'],
      ['{}', 'application/json'],
      ['{"status":"DELIVRD"}', 'application/json'],
      ['{"id":{"a":"calm"}}', 'application/json'],
      ['{"id":["calm"]}', 'application/json'],
      ['{"id":true}', 'application/json'],
      [`{"id":"${'x'.repeat(300)}"}`, 'application/json'],
      [`{"id":"calm","x":"${'x'.repeat(MIB)}"}`, 'application/json'],
      [`id=calm&x=${'x'.repeat(MIB)}`, 'application/x-www-form-urlencoded'],
      ['%%%=%E0%A4%A&=', 'application/x-www-form-urlencoded'],
      ['\u0000\u0001', 'application/octet-stream'],
      ['<id>calm</id>', 'text/xml'],
      ['--x\r\n', 'multipart/form-data; boundary=x'],
    ]
    for (const path of routes())
      for (const [body, type] of bodies) {
        const { status, json } = await post(path, body, type)
        assert.deepEqual([status, json], [200, RECEIVED], `${type} ${body.slice(0, 40)}`)
      }
    for (const gatewayId of ['999999', '0', 'abc', '1%2F2', '9007199254740993'])
      for (const path of routes(gatewayId)) {
        const { status, json } = await post(path, '{"id":"calm"}')
        assert.deepEqual([status, json], [200, RECEIVED], path)
      }
    assert.deepEqual(await stored(), message)
  })

  it('that nests too deep, or is JSON under another type, still has its status read', async () => {
    const deep = `{"id":"deep","status":"EXPIRED","deep":${'['.repeat(50)}${']'.repeat(50)}}`
    for (const [body, type] of [
      [deep, 'application/json'],
      ['{"id":"deep","status":"FORM"}', 'application/x-www-form-urlencoded'],
      [' {"id":"deep","status":"TEXT"}', 'text/plain'],
    ] as const) {
      await sent('deep')
      await post(routes()[0] ?? '', body, type)
      assert.equal((await stored()).delivery_status, /"status":"(\w+)"/.exec(body)?.[1]?.toLowerCase())
    }
  })

  it('reaches a message whose gateway is gone', async () => {
    const message = await sent('orphan')
    await place.world.send('DELETE', `/api/sms-gateways/${place.id}`)
    for (const externalId of ['unknown', 'orphan']) await receipt({ id: externalId, status: 'DELIVRD' })
    const { storage } = place.world.service.trunkline
    const found = await storage.records.find(smsMessages, message.id)
    assert.equal(found?.delivery_status, 'delivrd')
    const parked = `SELECT count(*) FROM parked_receipts WHERE sms_gateway_id = ${place.id}`
    assert.deepEqual(await columnOf(storage, parked), [0])
  })

  it('cannot make the stored response grow without bound', async () => {
    await sent('growing')
    for (let i = 0; i < 6; i++) await receipt({ id: 'growing', status: `step-${i}`, [`k${i}`]: 'x'.repeat(30_000) })
    const { delivery_status, remote_response } = await stored()
    assert.equal(delivery_status, 'step-5')
    assert.ok(JSON.stringify(remote_response).length <= 65_536)
  })
})
