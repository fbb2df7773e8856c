import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallFacts, LiveCall } from '../../../core/ports/switching.ts'
import type { Rate } from '../../../core/rating/deck.ts'
import { decideCall } from '../../../core/switching/decide-call.ts'
import type { CallDecision, Refusal, Target } from '../../../core/switching/decision.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { did, extension, facts, liveCall, NO_LIMITS, queue, trunk, type World } from '../../support/switching.ts'

/** What FreeSWITCH runs where it stands in a dialplan. */
const COMMAND = `\${system(id)}`

const UA: Rate = { id: 1, prefix: '380', pricePerMinute: 100, increment: 60, active: true }

const dial = (dialled: string, given: CallFacts, live: readonly LiveCall[] = [], from = '101'): CallDecision =>
  decideCall({ from: 'extension', extension: from, dialled }, given, live)

const bring = (dialled: string, given: CallFacts, by: string | null = 'carrier-one'): CallDecision =>
  decideCall({ from: 'trunk', trunk: by, caller: '+12125550100', dialled }, given, [])

function written(target: Target): string {
  switch (target.to) {
    case 'extension':
      return `extension ${target.extension.number} ${target.rings}`
    case 'queue':
      return `queue ${target.queue.number} [${target.agents.map(agent => agent.extension.number).join()}]`
    case 'voicemail':
      return `voicemail ${target.extension.number}`
    case 'trunk':
      return `${target.trunk.name} ${target.number} as ${target.caller}`
  }
}

const went = (decision: CallDecision): string | readonly string[] => decision.refusal ?? decision.targets.map(written)

test('a call to an extension rings it, and leaves a message where it has voicemail', () => {
  const world = { extensions: [extension('101'), extension('102', { hasVoicemail: true })] }
  assert.deepEqual(went(dial('101', facts(world))), ['extension 101 60'])
  assert.deepEqual(went(dial('102', facts(world))), ['extension 102 25', 'voicemail 102'])
  const decision = dial('102', facts(world))
  assert.ok(decision.refusal === null)
  assert.deepEqual([decision.direction, decision.number, decision.maxSeconds], ['internal', '102', null])
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

const REFUSED: Readonly<Record<string, readonly [Refusal, CallDecision]>> = {
  'of a suspended tenant': ['tenant not active', dial('102', facts({ tenant: { status: 'suspended' } }))],
  'of a tenant with an unknown status': ['tenant not active', dial('102', facts({ tenant: { status: 'Active' } }))],
  'of a tenant whose slug is a command': ['unfit tenant', dial('102', facts({ tenant: { slug: COMMAND } }))],
  'of a tenant whose domain is none': ['unfit tenant', dial('102', facts({ tenant: { domain: 'a b,c' } }))],
  'from no extension': ['unknown extension', dial('102', facts(), [], '999')],
  'from a disabled extension': [
    'extension not active',
    dial('102', facts({ extensions: [extension('101', { status: 'disabled' }), extension('102')] })),
  ],
  'to a disabled extension': [
    'extension not active',
    dial('102', facts({ extensions: [extension('101'), extension('102', { status: 'disabled' })] })),
  ],
  'to an inactive queue': ['queue not active', dial('800', facts({ queues: [queue('800', { status: 'inactive' })] }))],
  'to a text': ['unfit number', dial(COMMAND, facts())],
  'to a number of 31 digits': ['unfit number', dial('1'.repeat(31), facts())],
  'to a number that the country has not': [
    'unknown number',
    dial('105', facts({ settings: { dialling: { country: 'US' } } })),
  ],
  'to a local number without an area code': ['unknown number', dial('2345678', facts())],
  'to a feature code that nothing has': ['unknown number', dial('*98', facts())],
  'to a mistyped extension without a country': ['unknown number', dial('205', facts({ settings: {} }))],
  'without a route': ['no trunk', dial('0501234567', facts({ routes: [] }))],
  'to a route of another prefix': [
    'no trunk',
    dial('0501234567', facts({ routes: [{ id: 1, tenant_id: null, prefix: '44', trunks: ['carrier-one'] }] })),
  ],
  'through an inactive trunk': [
    'no trunk',
    dial('0501234567', facts({ trunks: [trunk('carrier-one', { status: 'off' })] })),
  ],
  'through a trunk whose name is a command': ['no trunk', dial('0501234567', facts({ trunks: [trunk('a,b')] }))],
  'without a rate where one is wanted': ['no rate', dial('0501234567', facts({ limits: { ratedOnly: true } }))],
  'whose rate was not looked up': [
    'no rate',
    dial('0501234567', facts({ limits: { ratedOnly: true } }, { rate: undefined })),
  ],
  'to a blocked prefix': ['prefix blocked', dial('0501234567', facts({ limits: { blockedPrefixes: ['38'] } }))],
  'to a prefix that is blocked for the extension': [
    'prefix blocked',
    dial('0501234567', facts({ ofExtension: { blockedPrefixes: [''] } })),
  ],
  'to a prefix that is not among the allowed': [
    'prefix not allowed',
    dial('0501234567', facts({ limits: { allowedPrefixes: ['44'] } })),
  ],
  'of a tenant with a limit that cannot be read': [
    'limit unreadable',
    dial('0501234567', facts({ limits: { unreadable: ['cost_per_day'] } })),
  ],
  'past the cost of a day': [
    'limit reached',
    dial(
      '0501234567',
      facts(
        { limits: { most: { cost_per_day: 500 } } },
        { used: { tenant: { ...NOTHING_USED, cost_per_day: 500 }, extension: NOTHING_USED } },
      ),
    ),
  ],
  'past the calls of an hour, with those that are up': [
    'limit reached',
    dial(
      '0501234567',
      facts(
        { ofExtension: { most: { calls_per_hour: 3 } } },
        { used: { tenant: NOTHING_USED, extension: { ...NOTHING_USED, calls_per_hour: 2 } } },
      ),
      [liveCall()],
    ),
  ],
  'inside, past the concurrent calls': [
    'limit reached',
    dial('102', facts({ limits: { most: { concurrent_calls: 1 } } }), [
      liveCall({ direction: 'inbound', extension: null }),
    ]),
  ],
}

for (const [what, [refusal, decision]] of Object.entries(REFUSED))
  test(`a call ${what} is refused: ${refusal}`, () => {
    assert.equal(decision.refusal, refusal)
    assert.ok(decision.refusal !== null && decision.reason !== '')
  })

test('the longest prefix decides, blocked or allowed', () => {
  const limits = { blockedPrefixes: ['3805', '44'], allowedPrefixes: ['380', '44', '38050'] }
  const out = (dialled: string): unknown => dial(dialled, facts({ limits })).refusal
  assert.deepEqual(
    [out('0441234567'), out('0501234567'), out('+380591234567'), out('+442071234567'), out('+12125550100')],
    [null, null, 'prefix blocked', 'prefix blocked', 'prefix not allowed'],
  )
})

test('a limit counts the calls of its own tenant and extension alone', () => {
  const most = { concurrent_calls: 1, calls_per_hour: 1 }
  const others = [liveCall({ tenant: 'beta' }), liveCall({ extension: '102' })]
  assert.equal(dial('0501234567', facts({ ofExtension: { most } }), others).refusal, null)
  assert.equal(dial('0501234567', facts({ limits: { most } }), others).refusal, 'limit reached')
})

test('an extension with its own limits follows those', () => {
  const given = facts({ ofExtension: { blockedPrefixes: [''] } })
  const limits = { ...given.directory.limits, extensions: new Map([['101', NO_LIMITS]]) }
  const own = { ...given, directory: { ...given.directory, limits } }
  assert.deepEqual(
    [dial('0501234567', own).refusal, dial('0501234567', own, [], '102').refusal],
    [null, 'prefix blocked'],
  )
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

test('the rate of a call is among the steps', () => {
  const { steps } = dial('0501234567', facts({ limits: { ratedOnly: true } }, { rate: UA }))
  assert.deepEqual(
    steps.find(step => step.kind === 'rate'),
    { kind: 'rate', prefix: '380', isRequired: true },
  )
})
