import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diallingOf, diallingProblems } from '../../../core/dialling/settings.ts'

test('valid settings have no problems', () => {
  for (const dialling of [
    undefined,
    null,
    {},
    { country: 'US', area_code: '212', international_prefix: '011' },
    { country: ' de ', area_code: '(030)' },
    { country: 'GB', area_code: '020', international_prefix: null },
    { country: 'RU', area_code: '812' },
    { country: 'FR', area_code: '1' },
    { country: 'RU', international_prefix: '8~10' },
    { international_prefix: '' },
  ])
    assert.deepEqual(diallingProblems(dialling), [], JSON.stringify(dialling))
})

test('an invalid setting is reported by its key, with the intended value where that is clear', () => {
  const cases: [unknown, string | null, RegExp, string?][] = [
    ['US', null, /must be an object/],
    [['US'], null, /must be an object/],
    [{ country: 'UK' }, 'country', /ISO 3166/, 'GB'],
    [{ country: 'Germany' }, 'country', /ISO 3166/, 'DE'],
    [{ country: 'XX' }, 'country', /ISO 3166/],
    [{ country: 49 }, 'country', /ISO 3166/],
    [{ country: '800' }, 'country', /ISO 3166/],
    [{ country: 'US', area_code: '21A' }, 'area_code', /digits of an area code/],
    [{ country: 'US', area_code: 212 }, 'area_code', /digits of an area code/],
    [{ country: 'US', area_code: '21' }, 'area_code', /must be an area code of US/],
    [{ country: 'US', area_code: '112' }, 'area_code', /must be an area code of US/],
    [{ area_code: '212' }, 'area_code', /needs a country/],
    [{ country: 'US', international_prefix: 11 }, 'international_prefix', /as text/],
    [{ country: 'US', international_prefix: 'x' }, 'international_prefix', /as text/],
    [{ country: 'US', contry: 'US' }, 'contry', /is not known: country, area_code, international_prefix are/],
  ]
  for (const [dialling, key, problem, meant] of cases) {
    const [found, ...others] = diallingProblems(dialling)
    assert.deepEqual([found?.key, found?.meant, others], [key, meant, []], JSON.stringify(dialling))
    assert.match(found?.problem ?? '', problem)
  }
})

test('an unreadable setting counts as absent', () => {
  const kindOf = (dialling: unknown, number: string): string => diallingOf({ dialling }).read(number).kind
  assert.equal(kindOf({ country: 'UK' }, '02079460018'), 'plain')
  assert.equal(kindOf('US', '2125550123'), 'plain')
  assert.equal(kindOf({ country: 'US', area_code: '2X2' }, '5550123'), 'area unknown')
  assert.equal(kindOf({ country: 'US', international_prefix: 11 }, '01144207946'), 'international')
})
