import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addSeconds, formatTimestamp, isTimeZone, parseDate } from '../../core/dates.ts'

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')

test('a date is read in each form that is documented', () => {
  for (const [written, moment] of [
    ['2026-10-01', '2026-10-01T00:00:00.000000Z'],
    ['2026-10-01 12:34', '2026-10-01T12:34:00.000000Z'],
    ['2026-10-01 12:34:56', '2026-10-01T12:34:56.000000Z'],
    ['2026-10-01 12:34:56.5', '2026-10-01T12:34:56.500000Z'],
    ['2026-10-01T12:34:56Z', '2026-10-01T12:34:56.000000Z'],
    ['2026-10-01t12:34:56z', '2026-10-01T12:34:56.000000Z'],
    ['2026-10-01T12:34:56,000001Z', '2026-10-01T12:34:56.000001Z'],
    ['2026-10-01T12:34:56.999999999Z', '2026-10-01T12:34:56.999999Z'],
    ['2026-10-01T12:34:56+03:00', '2026-10-01T09:34:56.000000Z'],
    ['2026-10-01T12:34:56+0300', '2026-10-01T09:34:56.000000Z'],
    ['2026-10-01 12:34:56+03', '2026-10-01T09:34:56.000000Z'],
    ['2026-10-01T12:34:56-11', '2026-10-01T23:34:56.000000Z'],
    ['2026-10-01T12:34:56.123456-05:30', '2026-10-01T18:04:56.123456Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000000Z'],
    ['2026-10-01T12:34:56-00:00', '2026-10-01T12:34:56.000000Z'],
  ] as const)
    assert.equal(parseDate(written), moment, written)
})

test('a day that the calendar does not have is not a date', () => {
  for (const written of [
    '2026-02-30',
    '2026-02-29',
    '2100-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
  ])
    assert.equal(parseDate(written), null, written)
})

test('29 February is a date only in leap years', () => {
  for (const year of [2024, 2000, 2400, 1996]) assert.ok(parseDate(`${year}-02-29`), String(year))
  for (const year of [2023, 1900, 2200, 2025]) assert.equal(parseDate(`${year}-02-29`), null, String(year))
})

test('a time that the clock does not have is not a date', () => {
  for (const time of [
    '24:00',
    '23:60',
    '23:59:60',
    '12:00:00+24:00',
    '12:00:00+01:60',
    '12:00:00+24',
    '12:00:00+3',
    '12',
    '12:0',
    '12:00:00.',
    '1:00',
  ])
    assert.equal(parseDate(`2026-10-01 ${time}`), null, time)
})

test('anything else is not a date', () => {
  for (const written of [
    '',
    'now',
    'yesterday',
    '2026',
    '2026-10',
    '01-10-2026',
    '2026/10/01',
    '20261001',
    '1790000000',
    '2026-10-01\n',
    '2026-10-01Z',
    '2026-10-01T12:00:00 UTC',
    '+12026-10-01',
    '٢٠٢٦-١٠-٠١',
  ])
    assert.equal(parseDate(written), null, written)
})

test('years range from 0000 to 9999, also after the zone is applied', () => {
  assert.equal(parseDate('0000-01-01'), '0000-01-01T00:00:00.000000Z')
  assert.equal(parseDate('0001-01-01T00:00:00+00:01'), '0000-12-31T23:59:00.000000Z')
  assert.equal(parseDate('9999-12-31 23:59:59.999999'), '9999-12-31T23:59:59.999999Z')
  assert.equal(parseDate('0000-01-01T00:00:00+00:01'), null)
  assert.equal(parseDate('9999-12-31T23:59:59-00:01'), null)
})

interface Written {
  readonly text: string
  readonly milliseconds: number
  readonly micros: number
}

const FIRST = Date.parse('0001-01-02T00:00:00Z')
const LAST = Date.parse('9999-12-30T00:00:00Z')

/** A moment and one of the ways to write it. */
const written: fc.Arbitrary<Written> = fc
  .record({
    seconds: fc.integer({ min: FIRST / 1000, max: LAST / 1000 }),
    micros: fc.integer({ min: 0, max: 999_999 }),
    offset: fc.option(fc.integer({ min: -1439, max: 1439 })),
    separator: fc.constantFrom('T', ' ', 't'),
    colon: fc.boolean(),
    blank: fc.constantFrom('', ' '),
  })
  .map(({ seconds, micros, offset, separator, colon, blank }) => {
    const local = new Date((seconds + (offset ?? 0) * 60) * 1000)
    const day = `${pad(local.getUTCFullYear(), 4)}-${pad(local.getUTCMonth() + 1)}-${pad(local.getUTCDate())}`
    const time = `${pad(local.getUTCHours())}:${pad(local.getUTCMinutes())}:${pad(local.getUTCSeconds())}.${pad(micros, 6)}`
    const size = Math.abs(offset ?? 0)
    const zone = `${(offset ?? 0) < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}${colon ? ':' : ''}${pad(size % 60)}`
    return {
      text: `${day}${separator}${time}${offset === null ? '' : `${blank}${zone}`}`,
      milliseconds: seconds * 1000,
      micros,
    }
  })

test('every moment in every form is the moment that UTC arithmetic gives, whatever the zone of the process', () => {
  const before = process.env.TZ
  try {
    for (const zone of ['UTC', 'America/St_Johns', 'Pacific/Kiritimati', 'Europe/Kyiv']) {
      process.env.TZ = zone
      fc.assert(
        fc.property(written, ({ text, milliseconds, micros }) => {
          const expected = `${new Date(milliseconds).toISOString().slice(0, 19)}.${pad(micros, 6)}Z`
          assert.equal(parseDate(text), expected, text)
        }),
        { numRuns: 250 },
      )
    }
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
})

test('a timestamp is read as itself, and text order is time order', () => {
  fc.assert(
    fc.property(written, written, (one, other) => {
      const first = formatTimestamp(one.milliseconds, one.micros)
      const second = formatTimestamp(other.milliseconds, other.micros)
      assert.equal(parseDate(first), first)
      const difference = one.milliseconds - other.milliseconds || one.micros - other.micros
      assert.equal(Math.sign(difference), first < second ? -1 : first > second ? 1 : 0)
    }),
  )
})

test('seconds are added across days and years, and the microseconds stay', () => {
  assert.equal(addSeconds('2026-12-31T23:59:59.123456Z', 1), '2027-01-01T00:00:00.123456Z')
  assert.equal(addSeconds('2026-03-01T00:00:00.000001Z', -86_400), '2026-02-28T00:00:00.000001Z')
})

test('parts of a second are added as microseconds', () => {
  assert.equal(addSeconds('2026-12-31T23:59:59.750000Z', 0.5), '2027-01-01T00:00:00.250000Z')
  assert.equal(addSeconds('2027-01-01T00:00:00.250000Z', -0.5), '2026-12-31T23:59:59.750000Z')
  assert.equal(addSeconds('2026-01-01T00:00:00.000000Z', 1.000001), '2026-01-01T00:00:01.000001Z')
})

test('a time zone is a name that ICU knows, links included, in any case', () => {
  for (const name of [
    'UTC',
    'Europe/Kyiv',
    'Europe/Kiev',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'America/Argentina/Salta',
    'Etc/GMT+5',
    'europe/kyiv',
  ])
    assert.ok(isTimeZone(name), name)
})

test('a bare offset or a made-up place is not a time zone', () => {
  for (const name of ['', '+02:00', '-05:00', '0530', '2', 'Mars/Olympus', 'Europe/', 'Europe/Kyiv ', 'Local', 'GMT+2'])
    assert.ok(!isTimeZone(name), name)
})

test('every spelling of a time zone is cached as the same one', context => {
  const asked = context.mock.method(Intl, 'DateTimeFormat')
  for (const name of ['Asia/Tokyo', 'ASIA/TOKYO', 'asia/tokyo', 'aSIA/tOKYO']) assert.ok(isTimeZone(name), name)
  assert.equal(asked.mock.callCount(), 1)
  assert.ok(!isTimeZone('Asia/To\u212Ayo'), 'a letter that becomes a k in lower case')
})

test('common forms of dates are read like those with a written zone and fraction', () => {
  const digits = (max: number, width = 2) => fc.integer({ min: 0, max }).map(value => pad(value, width))
  const moment = fc
    .tuple(digits(9999, 4), digits(13), digits(32), fc.constantFrom('T', ' ', 'x'), digits(25), digits(61), digits(61))
    .map(([y, m, d, t, h, min, s]) => `${y}-${m}-${d}${t}${h}:${min}:${s}`)
  const fraction = fc.constantFrom('.123456', '.000000', '.12x456', '')
  fc.assert(
    fc.property(moment, fraction, (given, part) => {
      assert.equal(parseDate(given), parseDate(`${given}.0+00:00`), given)
      assert.equal(parseDate(`${given}${part}Z`), parseDate(`${given}${part}+00:00`), given)
    }),
    { numRuns: 2000 },
  )
})
