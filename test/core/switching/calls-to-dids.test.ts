import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bring, dial, did, extension, facts, queue, trunk, went } from '../../support/switching/directory.ts'

const ROUTED = did('+380441234567', [
  { type: 'extension', number: '103' },
  { type: 'queue', number: '800' },
  { type: 'extension', number: '102' },
])
const HOUSE = {
  extensions: [extension('101'), extension('102', { hasVoicemail: true }), extension('103', { status: 'disabled' })],
  queues: [queue('800')],
}

test('a call to a DID tries its routes in order, past what is not active, and then takes a message', () => {
  const decision = bring('380441234567', facts({ ...HOUSE, dids: [ROUTED] }))
  assert.deepEqual(went(decision), ['queue 800 []', 'extension 102 25', 'voicemail 102'])
  assert.ok(decision.refusal === null)
  assert.deepEqual([decision.direction, decision.number], ['inbound', '+380441234567'])
})

test('a DID is found in any form that the carrier writes', () => {
  const given = facts({ ...HOUSE, dids: [ROUTED] })
  for (const dialled of ['+380441234567', '380441234567', '0441234567', '00380441234567'])
    assert.equal(bring(dialled, given).refusal, null, dialled)
})

test("a call that is dialled to one of the tenant's own DIDs stays inside", () => {
  const decision = dial('0441234567', facts({ ...HOUSE, dids: [ROUTED], limits: { blockedPrefixes: [''] } }))
  assert.ok(decision.refusal === null)
  assert.deepEqual([decision.direction, decision.number], ['internal', '+380441234567'])
  assert.ok(decision.targets.every(({ to }) => to !== 'trunk'))
})

test("another tenant's DID is reached through a carrier, never inside", () => {
  const decision = dial('0441234567', facts({ ...HOUSE, dids: [{ ...ROUTED, tenantId: 2 }] }))
  assert.deepEqual(went(decision), ['carrier-one +380441234567 as null'])
})

test('a call for a DID is refused from a trunk that is not active', () => {
  const trunks = [trunk('carrier-one', { status: 'suspended' })]
  for (const provider of ['carrier-one', 'a note'])
    assert.equal(
      bring('380441234567', facts({ ...HOUSE, trunks, dids: [{ ...ROUTED, provider }] })).refusal,
      'trunk not active',
    )
})

test('a call for a DID whose provider is a trunk is refused from elsewhere', () => {
  const given = facts({ ...HOUSE, dids: [{ ...ROUTED, provider: 'carrier-one' }] })
  assert.equal(bring('380441234567', given).refusal, null)
  assert.equal(bring('380441234567', given, 'carrier-two').refusal, 'DID of another trunk')
  assert.equal(bring('380441234567', given, null).refusal, 'DID of another trunk')
  const free = facts({ ...HOUSE, dids: [{ ...ROUTED, provider: 'Carrier One (Kyiv)' }] })
  assert.equal(bring('380441234567', free, null).refusal, null)
})

test('a call from a carrier can only go to a DID', () => {
  const given = facts({ ...HOUSE, dids: [ROUTED] })
  for (const dialled of ['101', '800', '0501234567', '+12125550100', '112'])
    assert.equal(bring(dialled, given).refusal, 'unknown DID', dialled)
  assert.equal(
    bring('380441234567', facts({ ...HOUSE, dids: [{ ...ROUTED, status: 'off' }] })).refusal,
    'DID not active',
  )
  const nowhere = { ...ROUTED, targets: [{ type: 'extension', number: '103' }] as const }
  assert.equal(bring('380441234567', facts({ ...HOUSE, dids: [nowhere] })).refusal, 'no route')
})
