import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { SmsGatewayClient } from '../../../core/ports/messaging/messages.ts'
import { manualClock } from '../../support/clock.ts'
import { startService, temporaryFolder } from '../../support/http/app.ts'
import { addGateway, json, MESSAGE, signal, startGateway } from '../../support/messaging/gateway.ts'
import { keepSending } from '../../support/messaging/messages.ts'

const UNKNOWN = 'outcome unknown: the service stopped before the gateway answered'

describe('a message whose sender died', () => {
  it('is failed by the sweep once its deadline has passed, not before, and never sent again', async () => {
    const folder = temporaryFolder()
    const db = join(folder.path, 'trunkline.db')
    const clock = manualClock()
    const gateway = await startGateway()
    const asked = signal()
    // A client that never returns stands for the dead process.
    const client: SmsGatewayClient = {
      submit: () => {
        asked.resolve()
        return new Promise(() => undefined)
      },
    }
    const first = await startService({ db, gateway_timeout: 15 }, { clock, client })
    const session = await first.login()
    const id = await addGateway(first, session, gateway)
    const abort = new AbortController()
    const sending = fetch(`${first.url}/api/sms-gateways/${id}/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: session },
      body: JSON.stringify(MESSAGE),
      signal: abort.signal,
    })
    await asked.promise
    abort.abort()
    await assert.rejects(sending)
    await first.close()

    const second = await startService({ db }, { clock })
    const stored = async () => {
      const path = `/api/sms-gateways/${id}/messages`
      return (await second.request('GET', path, { session: await second.login() })).json.data[0]
    }
    assert.deepEqual(await second.trunkline.messaging.sweep(), { failed: 0, forgotten: 0 })
    assert.equal((await stored()).delivery_status, 'queued')
    clock.advance(46)
    assert.deepEqual(await second.trunkline.messaging.sweep(), { failed: 1, forgotten: 0 })
    const { delivery_status, error_message, submitted_at, external_message_id } = await stored()
    assert.deepEqual([delivery_status, error_message, submitted_at], ['failed', UNKNOWN, null])
    assert.deepEqual(await second.trunkline.messaging.sweep(), { failed: 0, forgotten: 0 })
    assert.deepEqual(gateway.requests, [])

    await second.request('POST', `/api/sms-gateways/${id}/dlr`, {
      json: { id: external_message_id, status: 'DELIVRD' },
    })
    assert.equal((await stored()).delivery_status, 'delivrd')
    await second.close()
    await gateway.close()
    folder.remove()
  })
})

describe('a message given up on too early', () => {
  it('is submitted if the gateway answers after all', async () => {
    const clock = manualClock()
    const gateway = await startGateway()
    const service = await startService({ gateway_timeout: 5 }, { clock })
    const session = await service.login()
    const id = await addGateway(service, session, gateway)
    const held = signal<() => void>()
    gateway.answer(response => held.resolve(() => json(response, 200, { id: 'late-1' })))
    const sending = service.request('POST', `/api/sms-gateways/${id}/send`, { json: MESSAGE, session })
    const release = await held.promise
    clock.advance(3600)
    assert.equal((await service.trunkline.messaging.sweep()).failed, 1)
    release()
    const { delivery_status, error_message, external_message_id } = (await sending).json.data
    assert.deepEqual([delivery_status, error_message, external_message_id], ['submitted', null, 'late-1'])
    await service.close()
    await gateway.close()
  })
})

describe('parked receipts', () => {
  it('are forgotten after 24 hours', async () => {
    const clock = manualClock()
    const gateway = await startGateway()
    const service = await startService({}, { clock })
    const session = await service.login()
    const id = await addGateway(service, session, gateway)
    const park = (externalId: string) =>
      service.request('POST', `/api/sms-gateways/${id}/dlr`, { json: { id: externalId } })
    const send = async (externalId: string): Promise<string> => {
      gateway.answerWith(200, JSON.stringify({ id: externalId }))
      const { json } = await service.request('POST', `/api/sms-gateways/${id}/send`, {
        json: MESSAGE,
        session: await service.login(),
      })
      return json.data.delivery_status
    }
    await keepSending(service.trunkline.storage.messages, id)
    await park('old')
    clock.advance(3600)
    await park('young')
    clock.advance(23 * 3600)
    assert.deepEqual(await service.trunkline.messaging.sweep(), { failed: 0, forgotten: 1 })
    assert.equal(await send('old'), 'submitted')
    assert.equal(await send('young'), 'delivered')
    await service.close()
    await gateway.close()
  })
})
