import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { refusedIn } from '../../../adapters/asterisk/calls/refused-calls.ts'
import type { ManagerMessage } from '../../../adapters/asterisk/manager-messages.ts'
import { renderFiles } from '../../../adapters/asterisk/render/files.ts'
import { isUsable } from '../../../adapters/asterisk/render/routes.ts'
import { renderTenant } from '../../../adapters/asterisk/render/tenant.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { decideCall } from '../../../core/switching/decide-call.ts'
import type { CallRequest } from '../../../core/switching/decision.ts'
import { type DialledForm, dialledForms } from '../../../core/switching/dialled-forms.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { decidedSteps, groupsOf, renderedStep } from '../../support/switching/decided-steps.ts'
import { readDialplan, run } from '../../support/switching/dialplan.ts'
import {
  did,
  directory,
  extension,
  inProgress,
  liveCall,
  NO_LIMITS,
  queue,
  trunk,
  type World,
} from '../../support/switching/directory.ts'

const SETTINGS = [
  {},
  { dialling: { country: 'UA', area_code: '44' } },
  { dialling: { country: 'US', area_code: '212' } },
  { dialling: { country: 'GB' } },
] as const
const formsOf = new Map<unknown, readonly DialledForm[]>()
for (const settings of SETTINGS) formsOf.set(settings, await dialledForms(diallingOf(settings), nextTurn))

const mostly = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
const status = mostly('active', fc.constantFrom('suspended', 'Active', ''))
const inside = fc.constantFrom('101', '102', '103', '800', '801', '*5', '1 0', `\${x}`)
const hostile = fc.constantFrom('', `\${SHELL(id)}`, 'a"b', 'x\n[evil]', '102@beta', 'a,b')
const outside = fc.constantFrom(
  ...['0501234567', '+380501234567', '00380501234567', '0441234567', '2345678', '112', '911', '102', '116111'],
  ...['2125550123', '12125550123', '0113805012345678', '+442079460000', '02079460000', '00442079460000', '999', '411'],
  ...['380441234567', '4930123456', '90', '*98', '*97', '*97', '#1', '+', '0', '00'],
  ...['9001234567', '+12125550199', '12'],
  '1'.repeat(31),
)
const prefix = fc.constantFrom('', '380', '38050', '1', '1212', '44', '38')
const ends = fc.array(fc.record({ type: fc.constantFrom('extension' as const, 'queue' as const), number: inside }), {
  maxLength: 3,
})
const limits = fc.record(
  {
    most: fc.record(
      { concurrent_calls: fc.nat(3), calls_per_hour: fc.nat(4), calls_per_day: fc.nat(6), cost_per_day: fc.nat(3) },
      { requiredKeys: [] },
    ),
    blockedPrefixes: fc.array(prefix, { maxLength: 2 }),
    allowedPrefixes: fc.option(fc.array(prefix, { maxLength: 3 })),
    maxSeconds: fc.option(fc.integer({ min: 1, max: 99 })),
    ratedOnly: fc.boolean(),
    unreadable: mostly<string[]>([], fc.constant(['limits.cost_per_day'])),
  },
  { requiredKeys: [] },
)

const world: fc.Arbitrary<World> = fc.record({
  settings: fc.constantFrom(...SETTINGS),
  tenant: fc.record({ status: mostly('active', fc.constant('suspended')), slug: mostly('acme', fc.constant('a b')) }),
  extensions: fc
    .array(
      fc.record({
        number: inside,
        status,
        hasVoicemail: fc.boolean(),
        displayName: hostile,
        devices: fc.constantFrom(1, 2),
      }),
      { minLength: 1 },
    )
    .map(all => [extension('101'), ...all.map(each => extension(each.number, each))]),
  queues: fc
    .array(
      fc.record({ number: inside, status, agents: fc.array(fc.record({ extension: inside, penalty: fc.nat(3) })) }),
    )
    .map(all => all.map(each => queue(each.number, each))),
  dids: fc
    .array(
      fc.record({
        number: fc.constantFrom(
          '+380441234567',
          '+380441234568',
          '+12125550199',
          '+442079460000',
          '380501234567',
          '1234',
        ),
        ...{ status, id: fc.integer({ min: 1, max: 9 }), tenantId: mostly(1, fc.constant(2)), targets: ends },
        provider: fc.constantFrom('one', 'two', 'Some carrier'),
      }),
    )
    .map(all => all.map((each, place) => did(each.number, each.targets, { ...each, id: place + 1 }))),
  trunks: fc
    .array(
      fc.record({
        name: fc.constantFrom('one', 'two', 'three', 'a,b'),
        status,
        numberForm: fc.constantFrom('e164' as const, 'digits' as const, 'national' as const),
        maxCalls: fc.option(fc.nat(2)),
      }),
      { minLength: 2 },
    )
    .map(all => all.map((each, place) => trunk(each.name, { ...each, host: '192.0.2.1', id: place + 1 }))),
  routes: fc
    .array(
      fc.record({
        tenant_id: fc.constantFrom(null, 1, 2),
        prefix,
        trunks: fc.array(fc.constantFrom('one', 'two', 'three', 'a,b', 'gone'), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1 },
    )
    .map(all => all.map((each, id) => ({ ...each, id }))),
  limits: fc.oneof(fc.constant({}), limits),
  ofExtension: mostly({}, limits),
})

const request: fc.Arbitrary<CallRequest> = fc.oneof(
  fc.record({
    from: fc.constant('extension' as const),
    extension: mostly('101', fc.constantFrom('102', '103', '*5', '999')),
    dialled: fc.oneof(
      inside,
      outside,
      outside,
      fc.string({ unit: fc.constantFrom(...'0123456789+*#'), maxLength: 20 }),
    ),
    isSentOn: mostly(false, fc.constant(true)),
  }),
  fc.record({
    from: fc.constant('trunk' as const),
    trunk: fc.constantFrom('one', 'two', 'three'),
    caller: fc.constant('380671234567'),
    dialled: fc.constantFrom('380441234567', '+380441234568', '12125550199', '+12125550199', '442079460000', '999999'),
  }),
)

const live = fc.array(
  fc
    .record({
      trunk: fc.constantFrom('one', 'two', null),
      extension: fc.constantFrom('101', '102', null),
      direction: fc.constantFrom('outbound' as const, 'inbound' as const, 'internal' as const),
    })
    .map(each => liveCall(each)),
  { maxLength: 4 },
)
const used = fc.record({ calls_per_hour: fc.nat(3), calls_per_day: fc.nat(4), cost_per_day: fc.nat(3) })

const scene = fc.record({
  ...{ world, request, live, tenantUsed: used, extensionUsed: used, own: mostly(null, limits) },
  rated: fc.array(fc.oneof(prefix, fc.constantFrom('380102', '1411'))),
})

const seen = new Map<string, number>()
const reportedRefusals = new Set<string>()
/** Refusals by what is not in the dialplan at all, which therefore reports something else. */
const UNRENDERED = ['tenant not active', 'unfit tenant', 'unfit number', 'extension not active', 'trunk not active']

/** The event that Asterisk makes of the arguments of UserEvent. */
function eventOf(args: string): ManagerMessage {
  const [name = '', ...headers] = args.split(',')
  const lines = headers.map(header => header.split(': '))
  return new Map([
    ['userevent', [name]],
    ...lines.map(([key = '', value = '']) => [key.toLowerCase(), [value]] as const),
  ])
}

function assertAgreement(given: typeof scene extends fc.Arbitrary<infer S> ? S : never): void {
  const base = directory(given.world)
  const own = given.own === null ? [] : [['101', { ...NO_LIMITS, ...given.own }] as const]
  const on = { ...base, limits: { ...base.limits, extensions: new Map(own) } }
  const usedBy = { ...NOTHING_USED, ...given.tenantUsed }
  const ofExtension = { ...NOTHING_USED, ...given.extensionUsed }
  const { dialling, tenant } = on
  const { kind, digits } = dialling.read(given.request.dialled)
  const isRated = given.rated.some(each => (kind === 'short' ? digits === each : digits.startsWith(each)))
  const rate = isRated ? { id: 1, prefix: '', pricePerMinute: 1, increment: 60, active: true } : null
  const facts = { directory: on, rate, used: { tenant: usedBy, extension: ofExtension } }
  const decision = decideCall(given.request, facts, inProgress(given.live))
  const from = given.request.from === 'trunk' ? on.trunks.get(given.request.trunk ?? '') : undefined
  // Such a trunk has no endpoint, so that Asterisk refuses its calls.
  if (from && !isUsable(from)) {
    assert.notEqual(decision.refusal, null)
    return
  }
  const { files } = renderFiles({
    tenants: [
      renderTenant({
        directory: on,
        used: { tenant: usedBy, extensions: () => new Set<number>(), extension: () => ofExtension },
        ratedPrefixes: given.rated,
        reader: 'tl-read-1',
      }),
    ],
    telephones: [],
    trunks: [...on.trunks.values()],
    readers: new Map([['tl-read-1', formsOf.get(given.world.settings) ?? []]]),
  })
  const plan = readDialplan(files.extensions)
  const groups = groupsOf(given.live)
  const channel =
    given.request.from === 'trunk'
      ? { context: 'tl-from-trunks', variables: { TL_TRUNK: given.request.trunk ?? '' } }
      : {
          context: `tenant-${tenant.slug}`,
          accountcode: tenant.slug,
          variables: {
            TL_EXT: given.request.extension,
            ...(given.request.isSentOn ? { BLINDTRANSFER: 'PJSIP/acme-102-00000001' } : {}),
          },
        }
  const steps = run(plan, { ...channel, exten: given.request.dialled, groups })
  const tried = steps.filter(({ app }) => app !== 'Hangup' && app !== 'UserEvent')
  const outcome = decision.refusal ?? decision.direction
  const first = decision.refusal === null ? decision.targets[0].to : outcome
  for (const way of new Set([outcome, first])) seen.set(way, (seen.get(way) ?? 0) + 1)
  assert.deepEqual(tried.map(renderedStep), decidedSteps(tenant.slug, decision), JSON.stringify({ decision, steps }))
  if (decision.refusal === null && tried[0])
    assert.deepEqual([tried[0].accountcode, tried[0].exten], [tenant.slug, decision.number], 'the record of the call')
  const reported = steps.find(({ app }) => app === 'UserEvent')
  if (decision.refusal !== null && !UNRENDERED.includes(decision.refusal) && reported) {
    const call = refusedIn(eventOf(reported.args))
    assert.deepEqual(
      [call?.refusal, call?.dialled, call?.extension],
      [decision.refusal, given.request.dialled, given.request.from === 'extension' ? given.request.extension : null],
      JSON.stringify({ decision, steps }),
    )
    reportedRefusals.add(decision.refusal)
  }
}

const RUNS = { numRuns: 700 }

test('a call goes by the dialplan where the core decides that it goes, or nowhere', () => {
  fc.assert(fc.property(scene, assertAgreement), RUNS)
  for (const way of ['internal', 'inbound', 'unknown DID', 'extension not active', 'no route', 'unfit number'])
    assert.ok(seen.has(way), `${way}: ${JSON.stringify([...seen])}`)
})

test('a mailbox opens to a call of its own phone, and to no other', () => {
  const fetching = fc.tuple(scene, fc.boolean(), fc.boolean()).map(([given, hasVoicemail, isSentOn]) => ({
    ...given,
    request: { from: 'extension' as const, extension: '101', dialled: '*97', isSentOn },
    world: { ...given.world, tenant: {}, extensions: [extension('101', { hasVoicemail })] },
  }))
  seen.clear()
  fc.assert(fc.property(fetching, assertAgreement), { numRuns: 100 })
  for (const way of ['mailbox', 'no voicemail', 'limit reached']) assert.ok(seen.has(way), way)
})

test('a call out also follows permissions, rates, limits, routes and trunks', () => {
  const callOut = fc.tuple(scene, outside, limits).map(([given, dialled, ofTenant]) => ({
    ...given,
    request: { from: 'extension' as const, extension: '101', dialled },
    world: { ...given.world, tenant: {}, extensions: [extension('101')], limits: ofTenant },
  }))
  seen.clear()
  fc.assert(fc.property(callOut, assertAgreement), RUNS)
  for (const way of ['outbound', 'prefix blocked', 'prefix not allowed', 'no rate', 'limit reached', 'no trunk'])
    assert.ok(seen.has(way), `${way}: ${JSON.stringify([...seen])}`)
})

test('the dialplan reports why it refuses a call, as the core decides', () => {
  const expected = ['unknown number', 'unknown DID', 'DID of another trunk', 'no route', 'no voicemail', 'no rate']
  for (const refusal of [
    ...expected,
    'prefix blocked',
    'prefix not allowed',
    'no trunk',
    'limit reached',
    'limit unreadable',
  ])
    assert.ok(reportedRefusals.has(refusal), `${refusal}: ${[...reportedRefusals]}`)
})
