import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diallingOf } from '../../../../core/dialling/settings.ts'
import { keyFaults } from '../../../../core/resources/references/keys.ts'
import { LIMITS, limitsOf } from '../../../../core/switching/limits/limit-settings.ts'

const plain = diallingOf({})
const ofTenant = (limits: unknown, rest = {}) => limitsOf({ limits, ...rest }, diallingOf(rest)).tenant
const of101 = (limits: unknown) => limitsOf({ limits }, plain).extensions.get('101')

/** The wrong member, its problem and the intended one; a valid value has none. */
const FAULTY: readonly [limits: unknown, path: string, problem: RegExp, meant?: string][] = [
  [5, '', /^must be an object such as/],
  [[], '', /^must be an object/],
  [true, '', /^must be an object/],
  [{ calls_per_day: -1 }, 'calls_per_day', /a whole number of calls from 0 to 1000000/],
  [{ calls_per_day: 1.5 }, 'calls_per_day', /a whole number of calls/],
  [{ calls_per_day: '' }, 'calls_per_day', /a whole number of calls/],
  [{ calls_per_hour: 'ten' }, 'calls_per_hour', /a whole number of calls/],
  [{ calls_per_hour: true }, 'calls_per_hour', /a whole number of calls/],
  [{ concurrent_calls: 1e9 }, 'concurrent_calls', /a whole number of calls/],
  [{ concurrent_calls: [3] }, 'concurrent_calls', /a whole number of calls/],
  [{ cost_per_day: -0.01 }, 'cost_per_day', /an amount of money/],
  [{ cost_per_day: '25 EUR' }, 'cost_per_day', /an amount of money/],
  [{ cost_per_hour: '25,50' }, 'cost_per_hour', /an amount of money/],
  [{ max_call_seconds: 0 }, 'max_call_seconds', /a whole number of seconds from 1/],
  [{ max_call_seconds: '1h' }, 'max_call_seconds', /a whole number of seconds/],
  [{ rated_only: 'yes' }, 'rated_only', /true or false/],
  [{ rated_only: 1 }, 'rated_only', /true or false/],
  [{ blocked_prefixes: '+1900' }, 'blocked_prefixes', /a list of at most 1000 beginnings/],
  [{ blocked_prefixes: [1900] }, 'blocked_prefixes', /a list/],
  [{ blocked_prefixes: [''] }, 'blocked_prefixes', /a list/],
  [{ blocked_prefixes: ['+'] }, 'blocked_prefixes', /a list/],
  [{ blocked_prefixes: ['1900*'] }, 'blocked_prefixes', /a list/],
  [{ allowed_prefixes: ['1234567890123456'] }, 'allowed_prefixes', /a list/],
  [{ allowed_prefixes: Array.from({ length: 1_001 }, () => '1') }, 'allowed_prefixes', /a list/],
  [{ calls_per_dy: 5 }, 'calls_per_dy', /^is not known$/, 'calls_per_day'],
  [{ 'max-call-seconds': 5 }, 'max-call-seconds', /^is not known$/, 'max_call_seconds'],
  [{ budget: 5 }, 'budget', /^is not known: concurrent_calls, .* extensions are$/],
  [{ extension: 5 }, 'extension', /^must be an object such as {"calls_per_day": 500}/],
  [{ extension: { calls_per_day: 'x' } }, 'extension.calls_per_day', /a whole number/],
  [{ extension: { extension: {} } }, 'extension.extension', /^is not known/],
  [{ extensions: [] }, 'extensions', /^must be an object such as {"101": /],
  [{ extensions: { 101: 5 } }, 'extensions.101', /^must be an object such as {"calls/],
  [{ extensions: { 101: { cost_per_dy: 1 } } }, 'extensions.101.cost_per_dy', /^is not known$/, 'cost_per_day'],
]

const RIGHT: readonly unknown[] = [
  null,
  {},
  { calls_per_day: 0, concurrent_calls: '3', cost_per_day: '25.50', cost_per_hour: 0.12345 },
  { calls_per_day: null, blocked_prefixes: null, extension: null, extensions: { 101: null } },
  { blocked_prefixes: ['+1 900', '00882'], allowed_prefixes: [], max_call_seconds: 3600, rated_only: true },
  { extension: { calls_per_hour: 30 }, extensions: { 101: { calls_per_hour: 300 } } },
]

describe('the limits in settings', () => {
  for (const [limits, path, problem, meant] of FAULTY)
    test(`${JSON.stringify(limits).slice(0, 60)} have one fault, at ${path || 'the whole'}`, () => {
      const [fault, ...others] = LIMITS.faults(limits)
      assert.deepEqual(others, [])
      assert.equal(fault?.path.join('.'), path)
      assert.match(fault?.problem ?? '', problem)
      assert.deepEqual(fault?.meant, meant === undefined ? undefined : { key: meant })
    })

  for (const limits of RIGHT)
    test(`${JSON.stringify(limits)} have no fault, and none counts as reached`, () => {
      assert.deepEqual(keyFaults({ limits: LIMITS }, { limits }), [])
      const { tenant, extension, extensions } = limitsOf({ limits }, plain)
      assert.deepEqual(
        [tenant, extension, ...extensions.values()].flatMap(({ unreadable }) => unreadable),
        [],
      )
    })

  test('each unreadable limit is named with the calls that it measures', () => {
    for (const [limits, path] of FAULTY) {
      const { tenant, extensions, extension } = limitsOf({ limits }, plain)
      const where = path === '' ? 'limits' : `limits.${path}`
      const [, kind, number] = where.split('.')
      const concerned =
        kind === 'extension' ? extension : kind === 'extensions' && number ? extensions.get(number) : tenant
      assert.deepEqual(concerned?.unreadable, [where], JSON.stringify(limits))
    }
  })

  test('a mistyped name is reported', () => {
    for (const name of ['limit', 'Limits', 'limts'])
      assert.deepEqual(limitsOf({ [name]: { calls_per_day: 5 } }, plain).tenant.unreadable, [name])
    assert.deepEqual(limitsOf({ logo: 1 }, plain).tenant.unreadable, [])
  })
})

describe('the limits read from settings', () => {
  test('money is in units of 0.0001, half of one rounded up', () => {
    const { most } = ofTenant({ cost_per_day: 25.5, cost_per_hour: '0.00005', calls_per_day: '7' })
    assert.deepEqual(most, { cost_per_day: 255_000, cost_per_hour: 1, calls_per_day: 7 })
  })

  test('settings without limits limit nothing', () => {
    for (const settings of [null, {}, { limits: null }]) {
      const { tenant, extension, extensions } = limitsOf(settings, plain)
      assert.deepEqual(tenant, {
        most: {},
        blockedPrefixes: [],
        allowedPrefixes: null,
        maxSeconds: null,
        ratedOnly: false,
        unreadable: [],
      })
      assert.deepEqual([extension, extensions.size], [tenant, 0])
    }
  })

  test('an extension has its own limits, and those of every extension that it does not name', () => {
    const limits = of101({
      calls_per_day: 1_000,
      extension: { calls_per_day: 30, cost_per_day: 5, rated_only: true, calls_per_hour: 'x' },
      extensions: { 101: { calls_per_day: 300, cost_per_day: null } },
    })
    assert.deepEqual(limits?.most, { calls_per_day: 300, cost_per_day: 50_000 })
    assert.equal(limits?.ratedOnly, true)
    assert.deepEqual(limits?.unreadable, ['limits.extension.calls_per_hour'])
  })

  test('a readable limit of its own replaces an unreadable one for every extension', () => {
    const limits = of101({ extension: { calls_per_day: 'x' }, extensions: { 101: { calls_per_day: 3 } } })
    assert.deepEqual([limits?.most, limits?.unreadable], [{ calls_per_day: 3 }, []])
  })

  test('prefixes are read as those of rates, by the country that the tenant dials from', () => {
    const dialling = { country: 'DE', area_code: '30' }
    const { blockedPrefixes } = ofTenant({ blocked_prefixes: ['0900', '+1 (900)', '00882'] }, { dialling })
    assert.deepEqual(blockedPrefixes, ['49900', '1900', '882'])
    assert.deepEqual(ofTenant({ blocked_prefixes: ['0900', '+1900', '00882'] }).blockedPrefixes, [
      '0900',
      '1900',
      '882',
    ])
  })

  test('a prefix that stands for no number cannot be read', () => {
    for (const list of ['blocked_prefixes', 'allowed_prefixes'])
      assert.deepEqual(ofTenant({ [list]: ['00'] }, { dialling: { country: 'DE' } }).unreadable, [`limits.${list}`])
  })

  test('names that every object has are plain data', () => {
    const settings = JSON.parse('{"limits":{"__proto__":{"calls_per_day":1},"constructor":1}}')
    assert.deepEqual(limitsOf(settings, plain).tenant.unreadable, ['limits.__proto__', 'limits.constructor'])
  })
})
