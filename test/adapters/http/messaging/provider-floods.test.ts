import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Provider } from '../../../support/messaging/providers/provider.ts'
import { providerOf } from '../../../support/messaging/providers.ts'
import { play as playOn, type Stage, stage } from '../../../support/play.ts'

let on: Stage
before(async () => {
  on = await stage()
})
after(() => on.close())

const play = (provider: Provider, meta?: object) => playOn(on, provider, meta)

describe('a request from anybody to the receipt address of a profile', () => {
  const KIB = 1024
  const address = async (profile: string) => {
    const { gateway, send, stored } = await play(providerOf(profile))
    const { known } = await send()
    return { path: `/api/sms-gateways/${gateway}/dlr`, known, stored }
  }
  const type = { 'content-type': 'application/json' }

  it('is not read without a secret or a signature', async () => {
    for (const profile of ['clicksend', 'twilio', 'telnyx', 'bird', 'messagebird', 'vonage-messages']) {
      const { path } = await address(profile)
      const body = 'x'.repeat(100 * KIB)
      const answer = await on.world.service.request('POST', path, { body, headers: type })
      assert.equal(answer.status, 403, profile)
    }
  })

  it('ends at 64 KiB, signed or not', async () => {
    const { path } = await address('telnyx')
    const headers = { ...type, 'telnyx-signature-ed25519': 'AAAA', 'telnyx-timestamp': '1' }
    const large = await on.world.service.request('POST', path, { body: 'x'.repeat(100 * KIB), headers })
    assert.deepEqual([large.status, large.json], [200, { message: 'DLR received' }])
    assert.equal((await on.world.service.request('POST', path, { body: 'x', headers })).status, 403)
  })

  it('is left unread if it is too large to parse at once, or nests too deep to store', async () => {
    const { path, stored, known } = await address('clicksend')
    const secret = `${path}?token=a-secret-of-receipts`
    const ours = `"message_id":"${known.id}","status_code":"201"`
    for (const body of [
      `{${ours},"n":[${'1e1,'.repeat(10_000)}1]}`,
      `{${ours},"a":${'['.repeat(20_000)}`,
      '[',
      '"x"',
      '{}',
      '[[],1,null]',
    ])
      assert.equal((await on.world.service.request('POST', secret, { body, headers: type })).status, 200)
    for (const body of ['&'.repeat(60_000), `message_id=${known.id}&status_code=201${'&a=1'.repeat(1_000)}`])
      await on.world.service.request('POST', secret, {
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    assert.equal((await stored()).delivery_status, 'submitted')
    const deep = `{${ours},"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`
    await on.world.service.request('POST', secret, { body: deep, headers: type })
    assert.equal((await stored()).delivery_status, '201')
    assert.equal((await on.world.get(`${path.replace('/dlr', '/messages')}`)).status, 200)
  })

  it('delays no other request, even with a thousand receipts', async () => {
    const { path } = await address('infobip')
    const results = Array.from({ length: 1_200 }, (_, i) => ({ messageId: `${i}`, status: { name: 'DELIVERED' } }))
    const answer = await on.world.service.request('POST', `${path}?token=a-secret-of-receipts`, {
      body: JSON.stringify({ results }),
      headers: type,
    })
    assert.equal(answer.status, 200)
  })
})
