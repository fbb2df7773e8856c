import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decideCall } from '../../../core/switching/decide-call.ts'
import type { CallRequest } from '../../../core/switching/decision.ts'
import { explainCall } from '../../../core/switching/explain.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { did, extension, facts, inProgress, liveCall, queue, trunk } from '../../support/switching/directory.ts'

/** Texts that tenants and telephones may write, including those that a switch would execute. */
const hostile = fc.constantFrom('', '1 0', `\${system(id)}`, '$${domain}', 'a,b', "x'y", '10\n1', '<a>', '102@beta')
const own = fc.constantFrom('101', '102', '800', '0441234567')
const number = fc.oneof({ weight: 5, arbitrary: own }, { weight: 1, arbitrary: hostile })
const status = fc.oneof(
  { weight: 8, arbitrary: fc.constant('active') },
  { weight: 1, arbitrary: fc.constantFrom('suspended', 'Active', '') },
)
const dialled = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('0501234567', '+380501234567', '+12125550100', '112', '380441234567') },
  { weight: 3, arbitrary: number },
  fc.string({ unit: fc.constantFrom(...'0123456789+*#') }),
  fc.string(),
)
/** Mostly the plain case, so that calls get through instead of failing at the first rule. */
const mostly = <T>(plain: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(plain) }, { weight: 1, arbitrary: other })
const target = fc.record({ type: fc.constantFrom('extension' as const, 'queue' as const), number })

const world = fc.record({
  settings: fc.constantFrom({}, { dialling: { country: 'UA' } }, { dialling: { country: 'US', area_code: '212' } }),
  tenant: fc.record({
    status,
    slug: mostly('acme', fc.constant(`\${slug}`)),
    domain: mostly('acme.example.com', fc.constant('a b')),
  }),
  extensions: fc.array(
    fc
      .record({ number, status, hasVoicemail: fc.boolean(), displayName: hostile })
      .map(each => extension(each.number, each)),
    { minLength: 2 },
  ),
  queues: fc.array(
    fc
      .record({ number, status, name: hostile, agents: fc.array(fc.record({ extension: number, penalty: fc.nat(9) })) })
      .map(each => queue(each.number, each)),
    { minLength: 2 },
  ),
  dids: fc.array(
    fc
      .record({
        number,
        status,
        id: fc.nat(9),
        tenantId: fc.constantFrom(1, 1, 2),
        provider: mostly('Some carrier', fc.constantFrom('carrier-one', 'two')),
        targets: fc.array(target, { minLength: 1, maxLength: 3 }),
      })
      .map(each => did(each.number, each.targets, each)),
    { minLength: 2 },
  ),
  trunks: fc.array(
    fc
      .record({
        name: fc.constantFrom('carrier-one', 'two', 'a,b'),
        status,
        numberForm: fc.constantFrom('e164' as const, 'digits' as const, 'national' as const),
        maxCalls: fc.option(fc.nat(2)),
      })
      .map(each => trunk(each.name, each)),
    { minLength: 2 },
  ),
  routes: fc.array(
    fc.record({
      id: fc.nat(9),
      tenant_id: fc.constantFrom(null, 1, 2),
      prefix: mostly('', fc.constantFrom('380', '1')),
      trunks: fc.array(fc.constantFrom('carrier-one', 'two', 'a,b', 'gone'), { minLength: 1, maxLength: 3 }),
    }),
  ),
  limits: fc.record({
    most: mostly({}, fc.record({ concurrent_calls: fc.nat(3), cost_per_day: fc.nat(3) }, { requiredKeys: [] })),
    blockedPrefixes: fc.array(fc.constantFrom('', '380', '38050', '44', '1'), { maxLength: 2 }),
    allowedPrefixes: mostly<string[] | null>(null, fc.array(fc.constantFrom('380', '38050', '1'), { maxLength: 2 })),
    maxSeconds: fc.option(fc.nat(99)),
    ratedOnly: mostly(false, fc.constant(true)),
    unreadable: mostly<string[]>([], fc.constant(['cost_per_day'])),
  }),
})

const request: fc.Arbitrary<CallRequest> = fc.oneof(
  fc.record({ from: fc.constant('extension' as const), extension: mostly('101', number), dialled }),
  fc.record({
    from: fc.constant('trunk' as const),
    trunk: fc.constantFrom(null, 'carrier-one', 'two'),
    caller: hostile,
    dialled,
  }),
)

const rate = fc.constantFrom(null, undefined, { id: 1, prefix: '380', pricePerMinute: 1, increment: 60, active: true })
const live = fc.array(
  fc.constantFrom('carrier-one', 'two').map(name => liveCall({ trunk: name })),
  { maxLength: 3 },
)
const used = fc.nat(3).map(cost_per_day => ({ tenant: { ...NOTHING_USED, cost_per_day }, extension: NOTHING_USED }))

const FIT_NUMBER = /^\+?[0-9*#]{1,30}$/
const FIT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

const decided = fc.tuple(world, request, rate, live, used).map(([given, asked, found, up, spent]) => {
  const on = facts(given, { rate: found, used: spent })
  return { on, asked, up, decision: decideCall(asked, on, inProgress(up)) }
})

test('the generated calls cover every kind of decision', () => {
  const ways = fc
    .sample(decided, 1_000)
    .flatMap(({ decision }) =>
      decision.refusal === null ? [decision.direction, ...decision.targets.map(({ to }) => to)] : [decision.refusal],
    )
  const seen = [
    'internal',
    'inbound',
    'outbound',
    'extension',
    'queue',
    'voicemail',
    'trunk',
    'prefix blocked',
  ] as const
  for (const way of seen) assert.ok(ways.includes(way), way)
})

test('every call goes to an active record of its own tenant, to an active trunk, or is refused', () => {
  fc.assert(
    fc.property(decided, ({ on, decision }) => {
      assert.ok(explainCall(decision).every(({ text }) => text !== ''))
      if (decision.refusal !== null) return assert.notEqual(decision.reason, '')
      const { tenant, extensions, queues, trunks } = on.directory
      assert.equal(tenant.status, 'active')
      for (const each of decision.targets) {
        if (each.to === 'trunk') assert.equal(trunks.get(each.trunk.name), each.trunk)
        else if (each.to === 'queue') assert.equal(queues.get(each.queue.number), each.queue)
        else assert.equal(extensions.get(each.extension.number), each.extension)
        const { status: found } = each.to === 'trunk' ? each.trunk : each.to === 'queue' ? each.queue : each.extension
        assert.equal(found, 'active')
        if (each.to === 'queue') assert.ok(each.agents.every(({ extension: { status: is } }) => is === 'active'))
      }
    }),
    { numRuns: 700 },
  )
})

test('every answer to a switch holds only valid numbers and names', () => {
  fc.assert(
    fc.property(decided, ({ on, decision }) => {
      if (decision.refusal !== null) return
      assert.match(decision.number, FIT_NUMBER)
      assert.match(on.directory.tenant.slug, FIT_NAME)
      assert.match(on.directory.tenant.domain, FIT_NAME)
      for (const each of decision.targets) {
        if (each.to === 'trunk') {
          assert.match(each.trunk.name, FIT_NAME)
          assert.match(each.number, FIT_NUMBER)
          assert.match(each.caller ?? '0', FIT_NUMBER)
        } else if (each.to === 'queue') {
          assert.match(each.queue.number, FIT_NUMBER)
          for (const agent of each.agents) assert.match(agent.extension.number, FIT_NUMBER)
        } else assert.match(each.extension.number, FIT_NUMBER)
      }
    }),
    { numRuns: 700 },
  )
})

test('no call leaves without an active caller, a route, permission and, if required, a rate', () => {
  fc.assert(
    fc.property(decided, ({ on, asked, up, decision }) => {
      if (decision.refusal !== null || decision.direction !== 'outbound') return
      const { tenant, extensions, trunkRoutes, limits } = on.directory
      assert.ok(asked.from === 'extension' && extensions.get(asked.extension)?.status === 'active')
      const names = decision.targets.map(each => (each.to === 'trunk' ? each.trunk.name : ''))
      const routes = trunkRoutes.filter(({ tenant_id }) => tenant_id === null || tenant_id === tenant.id)
      assert.ok(routes.some(({ trunks }) => names.every(name => trunks.includes(name))))
      const { kind, digits } = on.directory.dialling.read(asked.dialled)
      if (kind === 'emergency' || ['112', '911'].includes(decision.number)) return
      const { blockedPrefixes, allowedPrefixes, ratedOnly, unreadable, most, maxSeconds } = limits.tenant
      const fitting = (prefixes: readonly string[]): number[] =>
        prefixes.filter(prefix => digits.startsWith(prefix)).map(({ length }) => length)
      assert.ok(Math.max(-1, ...fitting(blockedPrefixes)) <= Math.max(-1, ...fitting(allowedPrefixes ?? [])))
      assert.ok(allowedPrefixes === null || fitting(allowedPrefixes).length > 0)
      assert.ok(!ratedOnly || on.rate)
      assert.deepEqual(unreadable, [])
      assert.ok(up.length < (most.concurrent_calls ?? Number.POSITIVE_INFINITY))
      assert.ok(on.used.tenant.cost_per_day < (most.cost_per_day ?? Number.POSITIVE_INFINITY))
      assert.equal(decision.maxSeconds, maxSeconds)
    }),
    { numRuns: 700 },
  )
})

test("a carrier's call never goes out again", () => {
  fc.assert(
    fc.property(decided, ({ asked, decision }) => {
      if (asked.from === 'extension' || decision.refusal !== null) return
      assert.equal(decision.direction, 'inbound')
      assert.ok(decision.targets.every(({ to }) => to !== 'trunk'))
    }),
    { numRuns: 700 },
  )
})
