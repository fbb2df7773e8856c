import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'
import { asteriskRow } from '../../support/data/switch.ts'

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

  test('without a time are days in its time zone, and choose the same calls as its monthly report', async () => {
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

  test('with a time are in UTC, unless they name a zone', async () => {
    assert.equal(await examined(`--since '2025-10-01 00:00:00'`), 2)
    assert.equal(await examined(`--since '2025-09-30 21:00:00'`), 3)
    assert.equal(await examined('--since 2025-10-01T00:00:00+03:00'), 3)
  })

  const listed = async (flags: string): Promise<number> => (await place.json(`trunkline cdr list ${flags}`)).length

  test('narrow the list of calls by the days of the tenant that is given, else by those of UTC', async () => {
    assert.equal(await listed('--tenant acme --since 2025-10-01 --until 2025-11-01'), 2)
    assert.equal(await listed('--since 2025-10-01 --until 2025-11-01'), 2)
    assert.equal(await listed('--tenant acme --since 2025-10-01 --until 2025-10-31'), 1)
    assert.equal(await listed('--since 2025-10-01 --until 2025-10-31'), 0)
    assert.equal(await listed(`--since '2025-09-30 21:00:00'`), 4)
    assert.equal(await listed('--until 2025-11-01 --limit 1'), 1)
  })

  test('are refused unless --until is later than --since', async () => {
    for (const [since, until] of [
      ['2025-10-01', '2025-10-01'],
      ['2025-10-02', '2025-10-01'],
      ['2025-10-01T00:00+03:00', '2025-09-30T21:00Z'],
    ])
      for (const command of ['cdr list', 'cdr export --tenant acme', 'cdr rerate acme --dry-run', 'audit list'])
        assert.deepEqual(await place.run(`trunkline ${command} --since ${since} --until ${until}`), {
          code: 64,
          stdout: '',
          stderr: `error: --until ${until} must be later than --since ${since}: it is the first day or moment not included\n`,
        })
  })

  test('combine with the other filters of the list', async () => {
    assert.equal(await listed('--tenant acme --extension acme/101 --since 2025-10-01'), 4)
    assert.equal(await listed('--extension acme/101 --since 2026-01-01'), 1)
    assert.equal(await listed('--disposition BUSY --since 2025-10-01'), 0)
    assert.equal(await listed('--search 49200000 --until 2025-11-01'), 1)
  })

  test('choose the calls that are exported, the earliest first', async () => {
    const numbers = async (flags: string): Promise<string[]> => {
      const lines = (await place.done(`trunkline cdr export --format ndjson ${flags}`)).split('\n').filter(Boolean)
      return lines.map(line => JSON.parse(line).destination_number)
    }
    assert.deepEqual(await numbers('--tenant acme --since 2025-10-01 --until 2025-11-01'), ['49100000', '49200000'])
    assert.deepEqual(await numbers('--until 2025-10-01'), ['49000000', '49100000'])
    assert.deepEqual(await numbers('--since 2026-11-01'), [])
  })

  test('that are not dates are a misuse', async () => {
    for (const command of ['list', 'export']) {
      const { code, stderr } = await place.run(`trunkline cdr ${command} --since yesterday`)
      assert.equal(code, 64)
      assert.match(stderr, /^error: --since must be a valid date\nhint: .* --since 2026-10-01$/m)
    }
  })

  test('are unknown options for records that are not ordered by time', async () => {
    for (const command of ['rate list', 'rate export'])
      assert.equal((await place.run(`trunkline ${command} --since 2026-10-01`)).code, 64)
  })

  test('are in UTC for all tenants, as the help says', async () => {
    for (const command of ['cdr rerate', 'rate check', 'cdr list', 'cdr export'])
      assert.match(
        (await place.run(`trunkline ${command} --help`)).stdout.replaceAll(/\s+/g, ' '),
        /day of (the tenant's time zone|the time zone of --tenant)/,
      )
    assert.match(
      (await place.run('trunkline audit list --help')).stdout.replaceAll(/\s+/g, ' '),
      /UTC unless it has a zone/,
    )
  })
})
