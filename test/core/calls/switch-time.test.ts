import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { momentIn, switchClock, wallClock } from '../../../core/calls/switch-time.ts'

const read = (zone: string, local: string): string | null => switchClock(zone)({ local })

test('a wall clock in UTC is used unchanged', () => {
  assert.equal(read('UTC', '2024-07-01 12:34:56'), '2024-07-01T12:34:56.000000Z')
})

test('a wall clock is turned into UTC by its zone and season', () => {
  assert.equal(read('Europe/Kyiv', '2024-07-01 12:34:56'), '2024-07-01T09:34:56.000000Z')
  assert.equal(read('Europe/Kyiv', '2024-01-01 01:00:00'), '2023-12-31T23:00:00.000000Z')
  assert.equal(read('America/New_York', '2024-12-31 22:00:00'), '2025-01-01T03:00:00.000000Z')
  assert.equal(read('Asia/Kolkata', '2024-03-01 00:15:00'), '2024-02-29T18:45:00.000000Z')
})

test('a repeated hour is read as the first', () => {
  assert.equal(read('Europe/Berlin', '2024-10-27 02:00:00'), '2024-10-27T00:00:00.000000Z')
  assert.equal(read('Europe/Berlin', '2024-10-27 02:59:59'), '2024-10-27T00:59:59.000000Z')
  assert.equal(read('Europe/Berlin', '2024-10-27 03:00:00'), '2024-10-27T02:00:00.000000Z')
  assert.equal(read('America/New_York', '2024-11-03 01:30:00'), '2024-11-03T05:30:00.000000Z')
})

test('a skipped time is read as if clocks had not jumped yet', () => {
  assert.equal(read('Europe/Berlin', '2024-03-31 01:59:59'), '2024-03-31T00:59:59.000000Z')
  assert.equal(read('Europe/Berlin', '2024-03-31 02:30:00'), '2024-03-31T01:30:00.000000Z')
  assert.equal(read('Europe/Berlin', '2024-03-31 03:30:00'), '2024-03-31T01:30:00.000000Z')
  assert.equal(read('America/New_York', '2024-03-10 02:30:00'), '2024-03-10T07:30:00.000000Z')
})

test('a change by half an hour within one clock hour is right on both sides', () => {
  const clock = switchClock('Australia/Lord_Howe')
  assert.equal(clock({ local: '2024-10-06 01:59:00' }), '2024-10-05T15:29:00.000000Z')
  assert.equal(clock({ local: '2024-10-06 02:45:00' }), '2024-10-05T15:45:00.000000Z')
  assert.equal(clock({ local: '2024-10-06 02:10:00' }), '2024-10-05T15:40:00.000000Z')
  assert.equal(clock({ local: '2024-04-07 01:45:00' }), '2024-04-06T14:45:00.000000Z')
  assert.equal(clock({ local: '2024-04-07 02:00:00' }), '2024-04-06T15:30:00.000000Z')
})

test('text that is not a date gives null', () => {
  assert.equal(read('UTC', '2024-02-30 00:00:00'), null)
  assert.equal(read('Europe/Berlin', ''), null)
})

test('microseconds since 1970 need no zone', () => {
  const clock = switchClock('Asia/Kolkata')
  assert.equal(clock({ epochMicros: 1_719_837_296_123_456 }), '2024-07-01T12:34:56.123456Z')
  assert.equal(clock({ epochMicros: -1 }), '1969-12-31T23:59:59.999999Z')
})

test('a moment written by a person is in the given zone, or in the one that it names', () => {
  const kyiv = momentIn('Europe/Kyiv')
  for (const text of ['2026-12-01', '2026-12-01T00:00', ' 2026-12-01 00:00:00 ', '2026-12-01T00:00:00.000000'])
    assert.equal(kyiv(text), '2026-11-30T22:00:00.000000Z', text)
  assert.equal(kyiv('2026-12-01T00:00Z'), '2026-12-01T00:00:00.000000Z')
  assert.equal(kyiv('2026-12-01T00:00-05'), '2026-12-01T05:00:00.000000Z')
  assert.equal(kyiv('2026-12-01 00:00:30+02:00'), '2026-11-30T22:00:30.000000Z')
  for (const text of ['2026-12', 'tomorrow', '2026-02-30', '2026-12-01T24:00', '']) assert.equal(kyiv(text), null, text)
})

test("a moment that a person writes follows the switches' rules when clocks change", () => {
  const berlin = momentIn('Europe/Berlin')
  assert.equal(berlin('2026-03-29T02:30'), '2026-03-29T01:30:00.000000Z')
  assert.equal(berlin('2026-10-25T02:30'), '2026-10-25T00:30:00.000000Z')
})

test('a formatted moment is read back as the same moment', () => {
  for (const [zone, moment, shown] of [
    ['Europe/Kyiv', '2026-11-30T22:00:00.000000Z', '2026-12-01 00:00'],
    ['Asia/Kolkata', '2026-03-29T00:59:30.000000Z', '2026-03-29 06:29:30'],
    ['Europe/Berlin', '2026-03-29T01:00:00.000000Z', '2026-03-29 03:00'],
  ] as const) {
    assert.equal(wallClock(zone)(moment), shown)
    assert.equal(momentIn(zone)(shown), moment)
  }
})

test('an unknown zone is a RangeError', () => {
  assert.throws(() => switchClock('Europe/Nowhere'), RangeError)
})

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/St_Johns',
  'Pacific/Chatham',
]

for (const zone of ZONES) {
  const clock = switchClock(zone)
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })

  test(`in ${zone} every moment comes back from its wall clock, or as the first of two alike`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 946_684_800, max: 1_893_456_000 }), second => {
        const local = format.format(second * 1000)
        const back = Date.parse(clock({ local }) ?? '')
        assert.equal(format.format(back), local)
        assert.ok(back === second * 1000 || back === second * 1000 - 3_600_000 || back === second * 1000 - 1_800_000)
      }),
      { numRuns: 300 },
    )
  })
}
