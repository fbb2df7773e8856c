import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rate } from '../../../core/rating/deck.ts'
import {
  dial,
  did,
  extension,
  facts,
  liveCall,
  queue,
  trunk,
  type World,
  went,
} from '../../support/switching/directory.ts'

const UA: Rate = { id: 1, prefix: '380', pricePerMinute: 100, increment: 60, active: true }

test('a call to an extension rings it, and leaves a message where it has voicemail', () => {
  const world = { extensions: [extension('101'), extension('102', { hasVoicemail: true })] }
  assert.deepEqual(went(dial('101', facts(world))), ['extension 101 60'])
  assert.deepEqual(went(dial('102', facts(world))), ['extension 102 25', 'voicemail 102'])
  const decision = dial('102', facts(world))
  assert.ok(decision.refusal === null)
  assert.deepEqual([decision.direction, decision.number, decision.maxSeconds], ['internal', '102', null])
})

test('*97 opens the mailbox of the extension that dials it, unless the tenant has such a number', () => {
  const own = [extension('101', { hasVoicemail: true }), extension('102', { hasVoicemail: true })]
  assert.deepEqual(went(dial('*97', facts({ extensions: own }))), ['mailbox 101'])
  assert.deepEqual(went(dial('*97', facts({ extensions: own }), [], '102')), ['mailbox 102'])
  const taken = facts({ extensions: own, queues: [queue('*97')] })
  assert.deepEqual(went(dial('*97', taken)), ['queue *97 []'])
})

test('a queue rings its active agents, the lowest penalty first', () => {
  const agents = ['102', '103', '104', '105'].map((number, index) => ({ extension: number, penalty: 9 - index }))
  const world = {
    extensions: [extension('101'), extension('102'), extension('103', { status: 'disabled' }), extension('104')],
    queues: [queue('800', { agents })],
  }
  assert.deepEqual(went(dial('800', facts(world))), ['queue 800 [104,102]'])
})

const OUT: Readonly<Record<string, readonly [dialled: string, form: 'e164' | 'digits' | 'national', sent: string]>> = {
  'a national number as E.164': ['0501234567', 'e164', '+380501234567'],
  'a national number as digits': ['0501234567', 'digits', '380501234567'],
  'a national number as it is dialled': ['+380501234567', 'national', '0501234567'],
  'an international number as it is dialled': ['+12125550100', 'national', '0012125550100'],
  'an international number as digits': ['0012125550100', 'digits', '12125550100'],
  'an emergency number, whatever the form': ['112', 'e164', '112'],
}

for (const [what, [dialled, numberForm, sent]] of Object.entries(OUT))
  test(`a trunk is sent ${what}`, () => {
    const decision = dial(dialled, facts({ trunks: [trunk('carrier-one', { numberForm })] }))
    assert.deepEqual(went(decision), [`carrier-one ${sent} as null`])
  })

test('the caller shown is the DID of the extension, else one of the trunk, else the oldest, in the form of the trunk', () => {
  const toOwn = did('+380441110003', [{ type: 'extension', number: '101' }], { id: 3, provider: 'carrier-two' })
  const dids = [
    did('+380441110001', [], { id: 1, provider: 'carrier-two' }),
    did('+380441110002', [], { id: 2, provider: 'carrier-one' }),
    did('+380441110004', [], { id: 4, provider: 'carrier-one', tenantId: 2 }),
    did('+380441110000', [], { id: 0, provider: 'carrier-one', status: 'inactive' }),
  ]
  const trunks = [trunk('carrier-one', { numberForm: 'digits' }), trunk('carrier-two', { numberForm: 'national' })]
  const shown = (given: World): unknown => went(dial('0501234567', facts({ trunks, ...given })))
  assert.deepEqual(shown({ dids }), [
    'carrier-one 380501234567 as 380441110002',
    'carrier-two 0501234567 as 0441110001',
  ])
  assert.deepEqual(shown({ dids: [...dids, toOwn] }), [
    'carrier-one 380501234567 as 380441110003',
    'carrier-two 0501234567 as 0441110003',
  ])
})

test('a call out fails over in the order of the route, past trunks that are gone, inactive or full', () => {
  const trunks = [
    trunk('full', { maxCalls: 1 }),
    trunk('off', { status: 'inactive' }),
    trunk('second'),
    trunk('first'),
    trunk('unused'),
  ]
  const routes = [{ id: 1, tenant_id: null, prefix: '', trunks: ['gone', 'full', 'off', 'first', 'second'] }]
  const decision = dial('0501234567', facts({ trunks, routes }), [liveCall({ trunk: 'full', tenant: 'beta' })])
  assert.deepEqual(went(decision), ['first +380501234567 as null', 'second +380501234567 as null'])
  const looked = decision.steps.flatMap(step => (step.kind === 'trunk' ? [[step.name, step.isUsable]] : []))
  assert.deepEqual(looked, [
    ['gone', false],
    ['full', false],
    ['off', false],
    ['first', true],
    ['second', true],
  ])
})

test("a tenant's own route comes before that of all, and the longest prefix before others", () => {
  const trunks = ['all', 'ukraine', 'own'].map(name => trunk(name))
  const routes = [
    { id: 1, tenant_id: null, prefix: '', trunks: ['all'] },
    { id: 2, tenant_id: null, prefix: '380', trunks: ['ukraine'] },
    { id: 3, tenant_id: 1, prefix: '44', trunks: ['own'] },
    { id: 4, tenant_id: 2, prefix: '', trunks: ['own'] },
  ]
  const by = (dialled: string): unknown => went(dial(dialled, facts({ trunks, routes })))
  assert.deepEqual(by('0501234567'), ['ukraine +380501234567 as null'])
  assert.deepEqual(by('+442071234567'), ['own +442071234567 as null'])
  assert.deepEqual(by('+12125550100'), ['all +12125550100 as null'])
})

test('a call ends after the shorter of the two lengths', () => {
  const longest = (tenant: number | null, own: number | null): number | null => {
    const decision = dial('0501234567', facts({ limits: { maxSeconds: tenant }, ofExtension: { maxSeconds: own } }))
    assert.ok(decision.refusal === null)
    return decision.maxSeconds
  }
  assert.deepEqual([longest(null, null), longest(600, null), longest(600, 60)], [null, 600, 60])
})

test('an emergency call goes out whatever limits, prefixes and rates say, but not for a suspended tenant', () => {
  const limits = {
    most: { concurrent_calls: 0, calls_per_day: 0 },
    blockedPrefixes: [''],
    allowedPrefixes: [],
    maxSeconds: 1,
    ratedOnly: true,
    unreadable: ['cost_per_day'],
  }
  const world = { limits, trunks: [trunk('carrier-one', { maxCalls: 0 })] }
  const decision = dial('112', facts(world))
  assert.deepEqual(went(decision), ['carrier-one 112 as null'])
  assert.ok(decision.refusal === null && decision.maxSeconds === null && decision.number === '112')
  assert.equal(dial('112', facts({ ...world, tenant: { status: 'suspended' } })).refusal, 'tenant not active')
  assert.deepEqual(went(dial('112', facts({ settings: {} }))), ['carrier-one 112 as null'])
})

test('the rate of a call is among the steps', () => {
  const { steps } = dial('0501234567', facts({ limits: { ratedOnly: true } }, { rate: UA }))
  assert.deepEqual(
    steps.find(step => step.kind === 'rate'),
    { kind: 'rate', prefix: '380', isRequired: true },
  )
})
