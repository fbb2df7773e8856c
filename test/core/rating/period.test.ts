import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOfMonth, isMonth } from '../../../core/rating/period.ts'

test('a month consists of its days, each of which begins where the previous one ends', () => {
  for (const zone of ['UTC', 'Europe/Kyiv', 'America/St_Johns', 'Asia/Kathmandu', 'Africa/Cairo', 'America/Havana'])
    for (let month = 1; month <= 12; month++) {
      const name = `2026-${String(month).padStart(2, '0')}`
      const days = daysOfMonth(name, zone)
      assert.equal(days.length, new Date(Date.UTC(2026, month, 0)).getUTCDate(), `${name} in ${zone}`)
      days.forEach(({ day, from }, i) => {
        assert.equal(day, `${name}-${String(i + 1).padStart(2, '0')}`)
        if (i > 0) assert.equal(from, days[i - 1]?.to)
      })
    }
})

/** The local date at that moment, found without the code under test. */
const dateIn = (timeZone: string, milliseconds: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(milliseconds)

test('a day begins with its date, even if clocks change that night', () => {
  for (const zone of [
    'Europe/Kyiv',
    'America/Havana',
    'Africa/Cairo',
    'Asia/Beirut',
    'America/Asuncion',
    'Pacific/Auckland',
  ])
    for (const month of ['2024-03', '2024-04', '2024-09', '2024-10', '2024-11'])
      for (const { day, from } of daysOfMonth(month, zone)) {
        assert.equal(dateIn(zone, Date.parse(from)), day, `${zone} at ${from}`)
        assert.notEqual(dateIn(zone, Date.parse(from) - 1000), day, `${zone} before ${from}`)
      }
})

test('a day on which clocks change has 23 or 25 hours', () => {
  const hoursOf = (day: string): number => {
    const found = daysOfMonth(day.slice(0, 7), 'Europe/Kyiv').find(each => each.day === day)
    return found ? (Date.parse(found.to) - Date.parse(found.from)) / 3_600_000 : 0
  }
  assert.deepEqual(['2026-03-29', '2026-03-30', '2026-10-25'].map(hoursOf), [23, 24, 25])
})

test('text that is not a month is refused', () => {
  for (const text of ['2026-13', '2026-00', '2026-1', '2026', '', '2026-10-01', ' 2026-10', '9999-12', '0042-01']) {
    assert.equal(isMonth(text), false)
    assert.throws(() => daysOfMonth(text, 'UTC'), /is not a month/)
  }
})
