import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  isReached,
  type Limits,
  limitsInUse,
  NOTHING_USED,
  permission,
  type Used,
} from '../../../../core/switching/limits/limits.ts'

const NONE: Limits = {
  most: {},
  blockedPrefixes: [],
  allowedPrefixes: null,
  maxSeconds: null,
  ratedOnly: false,
  unreadable: [],
}
const limits = (most: Limits['most']): Limits => ({ ...NONE, most })

const IDLE = { calls: 0, callsOut: 0 }

/** The limit reached by a call out and by one inside; null for none. */
const CASES: readonly [
  most: Limits['most'],
  used: Partial<Used>,
  live: [calls: number, callsOut: number],
  out: string | null,
  inside: string | null,
][] = [
  [{}, { calls_per_day: 1e6, cost_per_day: 1e9 }, [500, 500], null, null],
  [{ concurrent_calls: 2 }, {}, [1, 1], null, null],
  [{ concurrent_calls: 2 }, {}, [2, 0], 'concurrent_calls', 'concurrent_calls'],
  [{ concurrent_calls: 0 }, {}, [0, 0], 'concurrent_calls', 'concurrent_calls'],
  [{ calls_per_hour: 10 }, { calls_per_hour: 9 }, [0, 0], null, null],
  [{ calls_per_hour: 10 }, { calls_per_hour: 10 }, [0, 0], 'calls_per_hour', null],
  [{ calls_per_hour: 10 }, { calls_per_hour: 7 }, [3, 3], 'calls_per_hour', null],
  [{ calls_per_hour: 10 }, { calls_per_hour: 7 }, [9, 2], null, null],
  [{ calls_per_day: 10 }, { calls_per_day: 9 }, [1, 1], 'calls_per_day', null],
  [{ cost_per_hour: 50_000 }, { cost_per_hour: 49_999 }, [8, 8], null, null],
  [{ cost_per_hour: 50_000 }, { cost_per_hour: 50_000 }, [0, 0], 'cost_per_hour', null],
  [{ cost_per_day: 0 }, {}, [0, 0], 'cost_per_day', null],
  [{ cost_per_day: 9, calls_per_day: 1 }, { cost_per_day: 9, calls_per_day: 1 }, [0, 0], 'calls_per_day', null],
]

describe('a limit', () => {
  for (const [most, used, [calls, callsOut], out, inside] of CASES)
    test(`${JSON.stringify(most)} with ${JSON.stringify(used)} and ${calls} up: out ${out}, inside ${inside}`, () => {
      const measured = { used: { ...NOTHING_USED, ...used }, live: { calls, callsOut } }
      assert.equal(limitsInUse(limits(most), { ...measured, isOut: true }).find(isReached)?.name ?? null, out)
      assert.equal(limitsInUse(limits(most), { ...measured, isOut: false }).find(isReached)?.name ?? null, inside)
    })

  test('is shown with its usage', () => {
    const used = { ...NOTHING_USED, calls_per_day: 3, cost_per_day: 17 }
    const shown = limitsInUse(limits({ cost_per_day: 20, calls_per_day: 5 }), { used, live: IDLE, isOut: true })
    assert.deepEqual(shown, [
      { name: 'calls_per_day', used: 3, limit: 5 },
      { name: 'cost_per_day', used: 17, limit: 20 },
    ])
  })
})

describe('a number', () => {
  const CALLED: readonly [
    blocked: string[],
    allowed: string[] | null,
    digits: string,
    rule: string,
    prefix: string | null,
  ][] = [
    [[], null, '380441234567', 'allowed', null],
    [['1900'], null, '19005551234', 'blocked', '1900'],
    [['1900'], null, '12125551234', 'allowed', null],
    [[], [], '380441234567', 'not listed', null],
    [[], ['380', '44'], '380441234567', 'allowed', '380'],
    [[], ['380', '44'], '12125551234', 'not listed', null],
    [['380900'], ['380'], '380900123456', 'blocked', '380900'],
    [['380900', '3'], ['380'], '380441234567', 'allowed', '380'],
    [['380'], ['38044'], '380441234567', 'allowed', '38044'],
    [['380'], ['380'], '380441234567', 'blocked', '380'],
  ]
  for (const [blockedPrefixes, allowedPrefixes, digits, rule, prefix] of CALLED)
    test(`${digits} is ${rule} where ${blockedPrefixes} are blocked and ${allowedPrefixes ?? 'all'} allowed`, () =>
      assert.deepEqual(permission({ ...NONE, blockedPrefixes, allowedPrefixes }, digits), { prefix, rule }))
})
