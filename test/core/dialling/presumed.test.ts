import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nationalAlone, nationalNumbers, presumedCountry } from '../../../core/dialling/presumed.ts'

test("a tenant's country is presumed by its DIDs and its time zone", () => {
  for (const [country, timezone, dids] of [
    ['US', 'America/New_York', ['+12125550101']],
    ['CA', 'America/Toronto', ['+14165550101']],
    ['US', 'Asia/Tokyo', ['+12125550101']],
    ['UA', 'Europe/Kyiv', []],
    ['DE', 'UTC', ['+4930123456', '0049 30 123457', '+33140000000']],
    ['DE', 'Europe/Berlin', ['x', '030123456']],
    [null, 'UTC', []],
    [null, 'Mars/Phobos', []],
    ['UA', 'Mars/Phobos', ['+380441234567']],
  ] as const)
    assert.equal(presumedCountry({ timezone, dids }), country, `${timezone} ${dids}`)
})

test('numbers look national where they can be dialled so in the country, and are no E.164', () => {
  const ofCountry: [string | null, string[], string[]][] = [
    ['US', ['2125550123', '5550123', '911'], ['12125550123', '+12125550123', '01144207946', '*98', 'x', '']],
    ['DE', ['030123456', '112'], ['4930123456', '0049301234', '33140000000']],
    [null, ['030123456'], ['00493012345', '2125550123', '0', '*0123']],
  ]
  for (const [country, national, others] of ofCountry) {
    const isNational = nationalNumbers(country)
    for (const number of national) assert.ok(isNational(number), `${country} ${number}`)
    for (const number of others) assert.ok(!isNational(number), `${country} ${number}`)
  }
})

test('a number is only national if the digits that rates matched cannot be a number of another country', () => {
  const ofCountry: [string, [number: string, e164: string][], string[]][] = [
    // The last of the others are numbers in Iceland and Morocco, and one without a rate abroad.
    [
      'US',
      [['2125550123', '12125550123']],
      ['12125550123', '911', '5550123', '3545551234', '212522123456', '0302125550'],
    ],
    ['ES', [['912345678', '34912345678']], ['34912345678', '112', '919876543210']],
    ['DK', [['32123456', '4532123456']], ['4532123456', '45123456']],
    ['DE', [], ['030123456', '4930123456', '33140000000']],
  ]
  for (const [country, national, others] of ofCountry) {
    const wholeOf = nationalAlone(country)
    for (const [number, e164] of national) assert.equal(wholeOf(number, number), e164, `${country} ${number}`)
    for (const number of others) assert.equal(wholeOf(number, number), null, `${country} ${number}`)
  }
  assert.equal(nationalAlone('XX')('2125550123', '2125550123'), null)
})
