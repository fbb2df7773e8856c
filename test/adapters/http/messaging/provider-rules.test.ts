import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { addGateway, MESSAGE } from '../../../support/messaging/gateway.ts'
import type { Known, Provider } from '../../../support/messaging/providers/provider.ts'
import { providerOf } from '../../../support/messaging/providers.ts'
import { call, play as playOn, type Stage, stage } from '../../../support/play.ts'

let on: Stage
before(async () => {
  on = await stage()
})
after(() => on.close())

const play = (provider: Provider, meta?: object) => playOn(on, provider, meta)

describe('a gateway with a profile', () => {
  it('answers Jasmin as it expects', async () => {
    const { send, receive } = await play(providerOf('jasmin-rest'))
    const { known } = await send()
    const answer = await receive(known, 'DELIVRD')
    assert.deepEqual([answer.text, answer.headers.get('content-type')], ['ACK/Jasmin', 'text/plain; charset=utf-8'])
  })

  it('takes no receipts by a method that its provider does not use', async () => {
    const { gateway } = await play(providerOf('telnyx'))
    const answer = await on.world.service.request('GET', `/api/sms-gateways/${gateway}/dlr`)
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
  })

  it('that is not known sends nothing, says so, and takes no receipts', async () => {
    const gateway = await addGateway(on.world.service, on.world.session, on.server, { meta: { profile: 'nobody' } })
    const count = on.server.requests.length
    const { data } = (await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json
    assert.deepEqual(
      [data.delivery_status, data.error_message],
      ['failed', 'There is no profile nobody; see trunkline gateway profile list.'],
    )
    assert.equal(on.server.requests.length, count)
    const answer = await on.world.service.request('POST', `/api/sms-gateways/${gateway}/dlr`, { json: { id: 'x' } })
    assert.equal(answer.status, 403)
  })

  it('refuses a text that its provider would cut, and stores nothing', async () => {
    const { gateway } = await play(providerOf('jasmin-http'))
    const message = 'ж'.repeat(336)
    const answer = await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, { ...MESSAGE, message })
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.json.errors, {
      message: ['The message takes 6 parts, of which Jasmin (HTTP API) sends 5.'],
    })
    assert.deepEqual((await on.world.get(`/api/sms-gateways/${gateway}/messages`)).json.data, [])
    const raised = await play(providerOf('jasmin-http'), { max_parts: 6 })
    assert.equal((await raised.send(undefined, message)).known.text, message)
  })

  it('says that a long message arrived once all of its parts did, early receipts included', async () => {
    const vonage = providerOf('vonage-sms')
    const { gateway, know, receive, stored } = await play(vonage)
    const send = async (early: string[]) => {
      const seen: Known[] = []
      on.server.answer(async (response, submitted) => {
        const known = know(submitted)
        seen.push(known)
        for (const part of early) await receive({ ...known, id: known.id + part }, 'delivered')
        const messages = ['p1', 'p2', 'p3'].map(part => ({ 'message-id': `${known.id}${part}`, status: '0' }))
        response.writeHead(200).end(JSON.stringify({ 'message-count': '3', messages }))
      })
      await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)
      return seen[0] ?? assert.fail()
    }
    const early = await send(['p1'])
    assert.deepEqual([(await stored()).delivery_status, (await stored()).delivered_at], ['submitted', null])
    for (const n of ['p2', 'p3']) await receive({ ...early, id: early.id + n }, 'delivered')
    assert.equal((await stored()).delivery_status, 'delivered')
    for (const withReference of [true, false]) {
      const known = await send([])
      const part = (n: number) => ({ ...known, id: `${known.id}p${n}` })
      const receiptOf = async (n: number, word: string) => {
        if (withReference) return receive(part(n), word)
        const bare = new URL(known.url)
        bare.searchParams.delete('ref')
        return receive({ ...part(n), reference: '', url: bare.href }, word)
      }
      await receiptOf(1, 'delivered')
      await receiptOf(3, 'delivered')
      assert.equal((await stored()).delivery_status, 'submitted')
      await receiptOf(2, 'delivered')
      assert.equal((await stored()).delivery_status, 'delivered')
      await receiptOf(2, 'failed')
      assert.equal((await stored()).delivery_status, 'failed')
      await receiptOf(1, 'delivered')
      assert.equal((await stored()).delivery_status, 'failed')
    }
  })

  it('fails where one part of many was refused', async () => {
    const { gateway } = await play(providerOf('vonage-sms'))
    const messages = [
      { 'message-id': 'a', status: '0' },
      { status: '1', 'error-text': 'Throttled' },
    ]
    on.server.answerWith(200, JSON.stringify({ messages }))
    const { data } = (await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json
    assert.match(data.error_message, /Vonage SMS API refused the message: Throttled/)
  })

  it('reads the many receipts of one request, each for its own message', async () => {
    const { send, stored, gateway } = await play(providerOf('infobip'))
    const all = [(await send()).known, (await send()).known, (await send()).known]
    const results = all.map(({ reference }, i) => ({
      ...{ messageId: reference, callbackData: reference },
      status: { groupName: i === 1 ? 'REJECTED' : 'DELIVERED', name: 'X' },
    }))
    await call(on.world, {
      method: 'POST',
      url: all[0]?.url ?? '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ results }),
    })
    const { data } = (await on.world.get(`/api/sms-gateways/${gateway}/messages`)).json
    assert.deepEqual(
      data.map((message: Record<string, string>) => message.delivery_status),
      ['delivered', 'rejected', 'delivered'],
    )
    assert.equal((await stored()).remote_response.results, undefined)
  })

  it('keeps neither its secret nor our reference with a message', async () => {
    const { send, receive, stored } = await play(providerOf('kannel'))
    const { known } = await send()
    await receive(known, '1')
    assert.deepEqual((await stored()).remote_response, {
      ...{ body: '0: Accepted for delivery', status: '1', answer: 'A1', smsc_message: 'F1' },
      ...{ kannel_id: 'I1', smsc: 'i1', time: 'T1' },
    })
  })

  it('finds both of two messages that share an id, unless one is done', async () => {
    const { send, gateway } = await play(providerOf('sinch'))
    const first = (await send()).known
    on.server.answer(response => void response.writeHead(201).end(JSON.stringify({ id: first.id })))
    await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)
    const statuses = async () =>
      (await on.world.get(`/api/sms-gateways/${gateway}/messages`)).json.data.map(
        (message: Record<string, string>) => message.delivery_status,
      )
    const receive = (members: object) =>
      call(on.world, {
        method: 'POST',
        url: `${new URL(first.url).origin}${new URL(first.url).pathname}?token=a-secret-of-receipts`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'recipient_delivery_report_sms', batch_id: first.id, ...members }),
      })
    await receive({ status: 'Delivered' })
    assert.deepEqual(await statuses(), ['delivered', 'delivered'])
  })
})

describe('a gateway without a profile, whose meta has dlr_reference', () => {
  it('sends our reference in the receipt URL, and finds messages by it', async () => {
    const gateway = await addGateway(on.world.service, on.world.session, on.server, { meta: { dlr_reference: true } })
    on.server.answer(response => void response.socket?.destroy())
    const { data } = (await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json
    const url = new URL(JSON.parse(on.server.requests.at(-1)?.text ?? '')['dlr-url'])
    assert.equal(url.href, data.callback_url)
    assert.match(url.search, /^\?ref=[0-9a-f-]{36}$/)
    await on.world.service.request('POST', url.pathname + url.search, { json: { status: 'DELIVRD' } })
    const [message] = (await on.world.get(`/api/sms-gateways/${gateway}/messages`)).json.data
    assert.deepEqual([message.delivery_status, message.remote_response.ref], ['delivrd', undefined])
  })
})
