import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli.ts'
import { asteriskRow } from '../../support/switch.ts'

describe('--since and --until of one tenant', () => {
  let place: Workplace
  const examined = async (period: string): Promise<number> =>
    (await place.json(`trunkline cdr rerate --tenant acme ${period} --dry-run`)).examined
  before(async () => {
    place = workplace()
    await furnish(place)
    // Kyiv is three hours ahead of UTC in September, and two in November.
    const starts = ['2025-09-30 20:59:59', '2025-09-30 21:00:00', '2025-10-31 21:59:59', '2025-10-31 22:00:00']
    const rows = starts.map((start, n) => asteriskRow({ id: `${n}`, to: `49${n}00000`, start }))
    writeFileSync(place.path('Master.csv'), rows.join(''))
    await place.done(`trunkline cdr ingest ${place.path('Master.csv')} --quiet`)
  })
  after(() => place.remove())

  test('are days of its time zone where they have no time, and take the calls that its report of the month has', async () => {
    const report = await place.json('trunkline report usage --tenant acme --month 2025-10')
    assert.equal(report.total.calls, 2)
    assert.equal(await examined('--since 2025-10-01 --until 2025-11-01'), 2)
    const check = 'trunkline rate check acme --since 2025-10-01 --until 2025-11-01 --output json'
    const { code, stdout } = await place.run(check)
    assert.equal(code, 1)
    assert.deepEqual(
      JSON.parse(stdout).missing.map(({ prefix }: { prefix: string }) => prefix),
      ['49100', '49200'],
    )
  })

  test('are moments in UTC where they have a time, unless it has a zone', async () => {
    assert.equal(await examined(`--since '2025-10-01 00:00:00'`), 2)
    assert.equal(await examined(`--since '2025-09-30 21:00:00'`), 3)
    assert.equal(await examined('--since 2025-10-01T00:00:00+03:00'), 3)
  })

  test('say so in the help, and are UTC where all tenants are meant', async () => {
    for (const command of ['cdr rerate', 'rate check'])
      assert.match(
        (await place.run(`trunkline ${command} --help`)).stdout.replaceAll(/\s+/g, ' '),
        /day of the tenant's time zone/,
      )
    assert.match(
      (await place.run('trunkline audit list --help')).stdout.replaceAll(/\s+/g, ' '),
      /UTC unless it has a zone/,
    )
  })
})
