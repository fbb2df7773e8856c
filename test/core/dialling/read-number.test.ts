import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diallingOf } from '../../../core/dialling/settings.ts'

const from = (country: string, more: Record<string, unknown> = {}) => diallingOf({ dialling: { country, ...more } })

/** Checks that every spelling is read as the same number, of the kind beside it. */
function reads(settings: ReturnType<typeof from>, digits: string, ways: Record<string, string>): void {
  for (const [number, kind] of Object.entries(ways)) assert.deepEqual(settings.read(number), { kind, digits }, number)
}

describe('a number is the same in every way of dialling it', () => {
  test('in New York', () => {
    reads(from('US', { area_code: '212' }), '12125550123', {
      '2125550123': 'national',
      '(212) 555-0123': 'national',
      '12125550123': 'national',
      '1-212-555-0123': 'national',
      '+12125550123': 'international',
      '+1 212 555 0123': 'international',
      '01112125550123': 'international',
      '5550123': 'local',
      '555-0123': 'local',
    })
    reads(from('US'), '380441234567', {
      '011380441234567': 'international',
      '+380441234567': 'international',
      '380441234567': 'international',
      '00380441234567': 'international',
    })
  })

  test('in Berlin, where a number without trunk prefix is of the same area or of another country', () => {
    reads(from('DE', { area_code: '030' }), '493012345678', {
      '03012345678': 'national',
      '030 / 1234 5678': 'national',
      '493012345678': 'national',
      '+49 (0)30 12345678': 'international',
      '004903012345678': 'international',
      '12345678': 'local',
    })
    reads(from('DE', { area_code: '30' }), '33140000000', {
      '0033140000000': 'international',
      '33140000000': 'international',
    })
  })

  test('in London, Rome, Madrid and Copenhagen', () => {
    reads(from('GB', { area_code: '020' }), '442079460018', {
      '02079460018': 'national',
      '442079460018': 'national',
      '+44 (0)20 7946 0018': 'international',
      '79460018': 'local',
    })
    reads(from('GB'), '448001111', { '08001111': 'national' })
    reads(from('IT'), '390612345678', { '0612345678': 'national', '00390612345678': 'international' })
    reads(from('IT'), '393331234567', { '3331234567': 'national', '393331234567': 'national' })
    reads(from('ES'), '34912345678', { '912345678': 'national', '34912345678': 'national' })
    reads(from('DK'), '4532123456', { '32123456': 'national', '004532123456': 'international' })
  })

  test('by prefixes that carriers and mobile numbers have of their own', () => {
    reads(from('BR', { area_code: '11' }), '5511912345678', {
      '011912345678': 'national',
      '01511912345678': 'national',
      '11912345678': 'national',
      '912345678': 'local',
    })
    reads(from('BR'), '12125550123', { '001412125550123': 'international' })
    reads(from('AR', { area_code: '11' }), '5491123456789', {
      '0111523456789': 'national',
      '1523456789': 'local',
      '5491123456789': 'national',
    })
    reads(from('AR', { area_code: '11' }), '541123456789', { '01123456789': 'national', '23456789': 'local' })
    reads(from('RU'), '74951234567', { '84951234567': 'national', '4951234567': 'national' })
    reads(from('RU'), '12125550123', { '81012125550123': 'international' })
    reads(from('AU', { area_code: '2' }), '61291234567', {
      '0291234567': 'national',
      '91234567': 'local',
      '001161291234567': 'international',
    })
    reads(from('AU'), '611300123456', { '1300123456': 'national' })
    reads(from('CN'), '8613812345678', { '13812345678': 'national' })
    reads(from('AG'), '12684641234', { '4641234': 'national', '2684641234': 'national' })
  })
})

describe('numbers that are not foreign are not read as such', () => {
  test('emergency and short numbers', () => {
    for (const [country, number, digits] of [
      ['US', '911', '1911'],
      ['US', '112', '1112'],
      ['DE', '110', '49110'],
      ['DE', '112', '49112'],
      ['AU', '000', '61000'],
      ['GB', '999', '44999'],
    ] as const) {
      assert.deepEqual(from(country).read(number), { kind: 'emergency', digits }, `${country} ${number}`)
      assert.deepEqual(from(country).read(`+${number}`), { kind: 'emergency', digits }, `${country} +${number}`)
    }
    assert.deepEqual(from('US').read('411'), { kind: 'short', digits: '1411' })
    assert.deepEqual(from('DE').read('116117'), { kind: 'short', digits: '49116117' })
    assert.deepEqual(from('GB', { area_code: '1204' }).read('118500'), { kind: 'short', digits: '44118500' })
  })

  test('local numbers without a known area code, and numbers that the plan does not have', () => {
    assert.deepEqual(from('US').read('5550123'), { kind: 'area unknown', digits: '5550123' })
    assert.deepEqual(from('US').read('55501'), { kind: 'unknown', digits: '55501' })
    assert.deepEqual(from('US').read('55512345678901'), { kind: 'unknown', digits: '55512345678901' })
    assert.deepEqual(from('US').read('voicemail'), { kind: 'unknown', digits: '' })
  })

  test('feature codes stay as they are', () => {
    assert.deepEqual(from('US').read('*98'), { kind: 'plain', digits: '*98' })
    assert.deepEqual(from('DE').read('#31#030123'), { kind: 'plain', digits: '#31#030123' })
  })
})

describe('the international prefix', () => {
  test("is the tenant's, instead of that of the country's plan", () => {
    for (const settings of [
      { dialling: { country: 'US', international_prefix: '9011' } },
      { dialling: { country: 'US' }, international_prefix: '9011' },
      { dialling: { country: 'US', international_prefix: '9011' }, international_prefix: '00' },
    ]) {
      assert.deepEqual(diallingOf(settings).read('901144207946'), { kind: 'international', digits: '44207946' })
      assert.equal(diallingOf(settings).read('01144207946').kind, 'unknown')
    }
  })

  test('is that of the settings, else 00, without a country', () => {
    assert.deepEqual(diallingOf({ dialling: { international_prefix: '011' } }).read('011380'), {
      ...{ kind: 'plain', digits: '380' },
    })
    assert.deepEqual(diallingOf({ international_prefix: '011' }).read('011380').digits, '380')
    assert.deepEqual(diallingOf(null).read('2125550123'), { kind: 'plain', digits: '2125550123' })
    assert.deepEqual(diallingOf({ dialling: {} }).read('00380'), { kind: 'plain', digits: '380' })
  })
})

describe("a rate's prefix", () => {
  test('is the beginning of an E.164 number, and never a national number without its trunk prefix', () => {
    const { prefix } = from('US')
    for (const [written, digits] of Object.entries({ 212: '212', '+1 212': '1212', 1212: '1212', '011 380': '380' }))
      assert.equal(prefix(written), digits, written)
    assert.equal(prefix('00380'), '380')
    assert.equal(prefix('n/a'), '')
    assert.equal(prefix('*9'), '*9')
  })

  test('that begins no international number is that of a short number, if it is one', () => {
    assert.deepEqual(['112', '411', '911', '999'].map(from('US').prefix), ['1112', '1411', '911', '999'])
    assert.deepEqual(['110', '116117', '118', '+112'].map(from('DE').prefix), ['49110', '49116117', '118', '112'])
    assert.equal(from('AU').prefix('000'), '61000')
  })

  test('that begins with 0 is read as dialled', () => {
    assert.equal(from('DE').prefix('030'), '4930')
    assert.equal(from('DE').prefix('0049 30'), '4930')
    assert.equal(from('IT').prefix('06'), '3906')
    assert.equal(from('HU').prefix('061'), '361')
    assert.equal(from('AU').prefix('0011 380'), '380')
    assert.equal(from('DE', { international_prefix: '000' }).prefix('000380'), '380')
  })
})
