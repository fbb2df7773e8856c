import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

describe('the usage of all tenants', () => {
  let place: Workplace
  const report = 'trunkline report usage --all-tenants --month 2026-10'
  before(async () => {
    place = workplace()
    await furnish(place)
    for (const [slug, zone] of [
      ['zeta', 'America/New_York'],
      ['beta', 'UTC'],
    ])
      await place.done(
        `trunkline tenant create --name ${slug} --slug ${slug} --domain ${slug}.example.com --status active --timezone ${zone} --max-extensions 10`,
      )
    const calls = [
      asteriskRow({ id: '1', seconds: 65 }),
      asteriskRow({ id: '2', seconds: 0 }),
      // In New York it is October still.
      asteriskRow({ id: '3', accountcode: 'zeta', start: '2026-11-01 03:59:59', seconds: 30 }),
      asteriskRow({ id: '4', accountcode: 'beta', start: '2026-11-01 03:59:59' }),
    ]
    writeFileSync(place.path('Master.csv'), calls.join(''))
    await place.done(`trunkline cdr ingest ${place.path('Master.csv')}`)
  })
  after(() => place.remove())

  test('is one line for each, of the month in its own time zone, with a total', async () => {
    const { stdout } = await place.run(`${report} --no-color`, { columns: 80 })
    assert.equal(
      stdout,
      [
        'all tenants, 2026-10',
        '          calls  answered  minutes  billed    cost  ASR %  ACD s',
        'acme          3         2      2.1     4.0  0.0492   66.7   63.0  ██████████████',
        'beta          0         0      0.0     0.0  0.0000    0.0    0.0',
        'zeta          1         1      0.5     0.5  0.0000  100.0   30.0',
        'total         4         3      2.6     4.5  0.0492   75.0   52.0',
        '1 of them unrated: trunkline cdr list --unrated --month 2026-10',
        '',
      ].join('\n'),
    )
    const { total, tenants } = await place.json(report)
    assert.deepEqual([total.calls, total.answered, total.seconds, total.bill_seconds], [4, 3, 156, 270])
    assert.deepEqual(
      tenants.map((each: { tenant: string; timezone: string; total: { calls: number } }) => [
        each.tenant,
        each.timezone,
        each.total.calls,
      ]),
      [
        ['acme', 'Europe/Kyiv', 3],
        ['beta', 'UTC', 0],
        ['zeta', 'America/New_York', 1],
      ],
    )
  })

  test('by destination is a drawing for each tenant with calls, and in CSV has one header', async () => {
    const { stdout } = await place.run(`${report} --by destination --no-color`, { columns: 80 })
    assert.deepEqual(
      stdout.split('\n').filter(line => /^\S+, /.test(line)),
      ['acme, 2026-10 (Europe/Kyiv)', 'zeta, 2026-10 (America/New_York)'],
    )
    assert.match(stdout, /\n\nall tenants, 2026-10\n.*\ntotal +4 +3 /)
    assert.equal(
      await place.done(`${report} --by destination --output csv --fields tenant,destination,calls,answered,unrated`),
      'tenant,destination,calls,answered,unrated\nacme,Ukraine,2,1,0\nacme,(entered by hand),1,1,0\nzeta,(no match),1,1,1\n',
    )
  })

  test('is refused if a tenant is named beside --all-tenants', async () => {
    for (const named of ['acme', '--tenant acme']) {
      const { code, stderr } = await place.run(`${report} ${named}`)
      assert.deepEqual([code, stderr], [64, 'error: --all-tenants reports every tenant; do not name one as well\n'])
    }
  })
})
