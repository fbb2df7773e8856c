import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeFor } from '../../../../core/prefix-routes.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import type { GatewayReply } from '../../../../core/sms/reply.ts'
import { BODY, GATEWAY, objectOf, world } from '../../../support/messaging/messaging.ts'

const refused: GatewayReply = { kind: 'answered', status: 403, body: '{"message":"no credit"}' }
const taken: GatewayReply = { kind: 'answered', status: 200, body: '{"message_id":"m2"}' }
const unreached: GatewayReply = { kind: 'failed', isWritten: false, exception: 'connect ECONNREFUSED' }
const lost: GatewayReply = { kind: 'failed', isWritten: true, exception: 'aborted' }

async function routed(replies: readonly GatewayReply[], seconds = 0) {
  const on = await world()
  const other = objectOf(
    await on.storage.records.insert(resourceNamed('sms_gateways'), {
      ...GATEWAY,
      name: 'Other',
      server_host: 'b.example.com',
    }),
  )
  const gateways = [on.gatewayId, Number(other.id)]
  await on.storage.smsRoutes.set({ tenant_id: null, prefix: '380', via: gateways })
  let calls = 0
  on.answerWith(() => {
    on.clock.advance(seconds)
    return replies[calls++] ?? taken
  })
  const sent = objectOf(await on.use.sendRouted(BODY))
  const kept = await on.storage.records.find(resourceNamed('sms_messages'), Number(sent.id))
  return { on, sent, gateways, calls: () => calls, kept }
}

test("a tenant's own route precedes the shared ones, and the longest prefix wins", () => {
  const route = (id: number, tenant_id: number | null, prefix: string) => ({ id, tenant_id, prefix, gateways: [id] })
  const routes = [route(1, null, ''), route(2, null, '380'), route(3, 7, ''), route(4, 7, '44'), route(5, 8, '380')]
  const found = (tenant: number | null, to: string) => routeFor(routes, tenant, to)?.id
  assert.deepEqual(
    [found(null, '+380501'), found(null, '491'), found(7, '+380501'), found(7, '+441'), found(8, '380')],
    [2, 1, 3, 4, 5],
  )
  assert.equal(routeFor([route(2, null, '380')], null, '+491'), null)
})

for (const [name, reply] of Object.entries({ refused, unreached }))
  test(`a message that the first gateway certainly did not accept (${name}) goes to the next, and notes it`, async () => {
    const { sent, gateways, calls, kept } = await routed([reply])
    assert.deepEqual([sent.delivery_status, sent.sms_gateway_id, calls()], ['submitted', gateways[1], 2])
    assert.equal(sent.callback_url, `https://pbx.example.com/api/sms-gateways/${gateways[1]}/dlr`)
    const [first, ...others] = JSON.parse(String(kept?.tries))
    assert.deepEqual([first.gateway, typeof first.error, others.length], [gateways[0], 'string', 0])
  })

test('a message whose outcome is unknown goes to no other gateway', async () => {
  for (const reply of [lost, { kind: 'answered', status: 504, body: '' } as const]) {
    const { sent, gateways, calls } = await routed([reply])
    assert.deepEqual([sent.delivery_status, sent.sms_gateway_id, calls()], ['failed', gateways[0], 1])
  }
})

test('no other gateway is tried once the time is up, nor after the last', async () => {
  const late = await routed([refused], 14.5)
  assert.deepEqual([late.sent.delivery_status, late.calls()], ['failed', 1])
  const both = await routed([refused, refused])
  assert.deepEqual([both.sent.delivery_status, both.calls()], ['failed', 2])
})

test('without a route that fits, nothing is stored', async () => {
  const { use, stored } = await world()
  await assert.rejects(use.sendRouted(BODY), { code: 'not_found', message: 'No route leads to +380501234567.' })
  assert.deepEqual(await stored(), [])
})

test('a message that failed is sent again as a new one that names it; one whose outcome is unknown only by force', async () => {
  const { send, use, answerWith, storage } = await world()
  answerWith(() => refused)
  const failed = Number((await send()).id)
  answerWith(() => lost)
  const unknown = Number((await send()).id)
  answerWith(() => taken)
  const again = objectOf(await use.resend(failed, { isForced: false }))
  assert.equal(again.delivery_status, 'submitted')
  const kept = await storage.records.find(resourceNamed('sms_messages'), Number(again.id))
  assert.equal(kept?.resend_of, failed)
  await assert.rejects(use.resend(unknown, { isForced: false }), { code: 'conflict' })
  await assert.rejects(use.resend(Number(again.id), { isForced: true }), { code: 'conflict' })
  assert.equal(objectOf(await use.resend(unknown, { isForced: true })).delivery_status, 'submitted')
})
