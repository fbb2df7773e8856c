import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MESSAGE } from '../../../support/messaging/gateway.ts'
import type { Call, Known, Provider } from '../../../support/messaging/providers/provider.ts'
import { PROVIDERS } from '../../../support/messaging/providers.ts'
import { call, play as playOn, type Stage, stage } from '../../../support/play.ts'

let on: Stage
before(async () => {
  on = await stage()
})
after(() => on.close())

const play = (provider: Provider, meta?: object) => playOn(on, provider, meta)

const TEXTS = ['Hello there', 'Ціна: 5 €', '你好，世界', 'שלום مرحبا', 'Tick ✓ 😀 `ok` {x}', 'é'.repeat(60)]

for (const provider of PROVIDERS)
  describe(`a gateway with the profile ${provider.profile}`, () => {
    const { delivered, failed, pending } = provider.words

    it('passes every text to the provider unchanged, and keeps the id', async () => {
      const { send } = await play(provider)
      for (const text of TEXTS) {
        const { sent, known } = await send(undefined, text)
        assert.equal(known.text, text)
        assert.deepEqual([sent.delivery_status, sent.error_message], ['submitted', null])
        const { external_message_id: id } = sent
        assert.equal(id, provider.hasNoId ? known.reference || id : known.id)
        assert.ok(sent.submitted_at)
      }
    })

    it("fails with the provider's reason", async () => {
      const { gateway } = await play(provider)
      const { status, body, error } = provider.refusal
      on.server.answerWith(status, body)
      const { data } = (await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json
      assert.equal(data.delivery_status, 'failed')
      assert.match(data.error_message, error)
      assert.equal(data.submitted_at, null)
    })

    it('reads receipts: late, twice and out of order', async () => {
      const { send, receive, stored } = await play(provider)
      const { known } = await send()
      for (const word of [pending, delivered, delivered, pending]) {
        const answer = await receive(known, word)
        assert.equal(answer.status, 200, answer.text)
      }
      const message = await stored()
      assert.equal(message.delivery_status, delivered.toLowerCase())
      assert.ok(message.delivered_at)
      const { known: other } = await send()
      await receive(other, pending)
      assert.equal((await stored()).delivered_at, null)
      await receive(other, failed)
      const { delivery_status, error_message } = await stored()
      assert.equal(delivery_status, failed.toLowerCase())
      assert.ok(error_message.includes(` says ${failed.toLowerCase()}`), error_message)
    })

    it('reads a receipt that comes before the reply to its send', async () => {
      const { send, receive, stored } = await play(provider)
      const { sent, known } = await send(async early => assert.equal((await receive(early, delivered)).status, 200))
      assert.equal(sent.delivery_status, delivered.toLowerCase())
      assert.ok(sent.submitted_at && sent.delivered_at)
      if (!provider.hasNoId) assert.equal(sent.external_message_id, known.id)
      await receive(known, pending)
      assert.equal((await stored()).delivery_status, delivered.toLowerCase())
    })

    it('finds the message whose reply was lost', async () => {
      const { gateway, know, receive, stored } = await play(provider)
      const seen: Known[] = []
      on.server.answer((response, submitted) => {
        seen.push(know(submitted))
        response.socket?.destroy()
      })
      const { data } = (await on.world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json
      assert.match(data.error_message, /^outcome unknown: /)
      const [known = assert.fail()] = seen
      await receive(known, pending)
      assert.deepEqual(
        [(await stored()).delivery_status, (await stored()).error_message],
        [pending.toLowerCase(), null],
      )
      await receive(known, delivered)
      assert.equal((await stored()).delivery_status, delivered.toLowerCase())
    })

    it('refuses receipts that are forged, and changes nothing by them', async () => {
      const { send, stored } = await play(provider)
      const { known } = await send()
      const right = provider.receipt(known, delivered)
      const bare = new URL(right.url)
      bare.searchParams.delete('token')
      const { 'content-type': type } = right.headers
      const forged: Call[] = [
        { ...right, url: bare.href, headers: type ? { 'content-type': type } : {} },
        { ...right, url: right.url.replace(/token=[^&]+/, 'token=wrong'), headers: mangled(right.headers) },
      ]
      for (const each of forged) {
        const answer = await call(on.world, each)
        assert.equal(answer.status, 403, `${each.url} ${answer.text}`)
        assert.equal((await stored()).delivery_status, 'submitted')
      }
    })
  })

/** The headers, with every signature corrupted. */
const mangled = (headers: Call['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      /signature|authorization/.test(name) ? `${value}x`.replace(/[A-Za-z](?=.{5})/, '0').replace(/..x$/, 'AA') : value,
    ]),
  )
