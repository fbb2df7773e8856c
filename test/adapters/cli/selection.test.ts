import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { callIds, furnish, type Workplace, workplace } from '../../support/cli/cli.ts'
import { asteriskRow } from '../../support/data/switch.ts'

const NOWHERE = '0088123456'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
  await place.done(
    'trunkline tenant create --name Beta --slug beta --domain beta.example.com --status active --timezone America/New_York --max-extensions 10',
  )
  const calls = [
    asteriskRow({ id: '1', seconds: 600, start: '2026-10-02 12:00:00' }),
    asteriskRow({ id: '2', seconds: 0, start: '2026-10-03 12:00:00' }),
    asteriskRow({ id: '3', seconds: 30, to: NOWHERE, start: '2026-10-04 12:00:00' }),
    asteriskRow({ id: '4', seconds: 90, start: '2026-10-05 12:00:00' }),
    // Still October in New York, November in Kyiv and UTC.
    asteriskRow({ id: '5', accountcode: 'beta', start: '2026-11-01 03:59:59', seconds: 5 }),
  ]
  writeFileSync(place.path('Master.csv'), calls.join(''))
  await place.done(`trunkline cdr ingest ${place.path('Master.csv')}`)
})
after(() => place.remove())

/** The calls that are listed, counted as they were stored: the one entered by hand is 1; those of the switch follow. */
async function listed(flags: string): Promise<number[]> {
  const stored = await callIds(place)
  const lines = (await place.done(`trunkline cdr list --fields id ${flags}`)).split('\n').filter(Boolean)
  return lines.map(id => stored.indexOf(Number(id)) + 1)
}

describe('a list of calls', () => {
  it('can be of unrated calls only', async () => {
    assert.deepEqual(await listed('--unrated'), [6, 4])
    assert.deepEqual(await listed('--unrated --tenant acme'), [4])
    assert.deepEqual(await listed('--unrated --tenant acme --search 0088'), [4])
    assert.deepEqual(await listed(`--unrated --until 2026-10-04`), [])
  })

  it('can be of a month, in the time zone of its tenant or else in UTC', async () => {
    assert.deepEqual(await listed('--month 2026-10'), [5, 4, 3, 2, 1])
    assert.deepEqual(await listed('--month 2026-11'), [6])
    assert.deepEqual(await listed('--month 2026-10 --tenant beta'), [6])
    assert.deepEqual(await listed('--month 2026-11 --tenant beta'), [])
  })

  it('needs a valid month, and no other period beside it', async () => {
    assert.deepEqual(await place.run('trunkline cdr list --month October'), {
      code: 64,
      stdout: '',
      stderr: 'error: October is not a month; write it like 2026-10\nhint: trunkline cdr list --month 2026-10\n',
    })
    const { code, stderr } = await place.run('trunkline cdr list --month 2026-10 --since 2026-10-02')
    assert.equal(code, 64)
    assert.match(stderr, /--month <YYYY-MM>' cannot be used with option '--since/)
  })

  it('can be of calls with a disposition, in upper or lower case', async () => {
    for (const flag of ['--status no-answer', "--status 'No Answer'", "--disposition 'NO ANSWER'"])
      assert.deepEqual(await listed(flag), [3], flag)
    assert.deepEqual(await listed('--status answered --month 2026-11'), [6])
    assert.deepEqual(await listed('--status gone'), [])
    await place.done(
      "trunkline cdr create --tenant beta --caller-number 1 --destination-number 2 --direction outbound --disposition answered --duration-seconds 1 --bill-seconds 1 --cost 0 --started-at '2026-12-01 12:00:00'",
    )
    assert.deepEqual(await listed('--status answered --since 2026-11-01'), [7, 6])
  })

  it('can be of calls that cost at least an amount, to the fourth decimal', async () => {
    assert.deepEqual(await listed('--min-cost 0.0246'), [5, 2, 1])
    assert.deepEqual(await listed('--min-cost 0.0247'), [2])
    assert.deepEqual(await place.run('trunkline cdr list --min-cost much'), {
      code: 64,
      stdout: '',
      stderr: 'error: --min-cost must be a number\nhint: trunkline cdr list --min-cost 0.5\n',
    })
    assert.equal(await place.done('trunkline rate list --min-cost-per-minute 0.0124'), '')
  })

  it('can be sorted by a number or a date, either way, page by page', async () => {
    assert.deepEqual(await listed('--sort cost --month 2026-10'), [2, 5, 1, 4, 3])
    assert.deepEqual(await listed('--sort duration_seconds --month 2026-10'), [2, 5, 1, 4, 3])
    assert.deepEqual(await listed('--sort cost --reverse --month 2026-10'), [3, 4, 1, 5, 2])
    const [, , , , fifth] = await callIds(place)
    assert.deepEqual(await listed(`--sort cost --month 2026-10 --limit 2 --after ${fifth}`), [1, 4])
    assert.deepEqual(await listed('--reverse --month 2026-10'), [1, 2, 3, 4, 5])
    const { code, stderr } = await place.run('trunkline cdr list --sort price')
    assert.equal(code, 64)
    assert.match(stderr, /Allowed choices are id, duration_seconds, bill_seconds, cost, started_at/)
  })

  it('shows the column that it is sorted by even if there is no room for all', async () => {
    const head = async (flags: string) =>
      (await place.done(`trunkline cdr list --no-color ${flags}`, { columns: 80 })).split('\n').slice(0, 3).join()
    assert.doesNotMatch(await head(''), /durat/)
    assert.match(await head('--sort duration_seconds'), /durat/)
  })
})

describe('an export of calls', () => {
  it('takes the filters of the list', async () => {
    const exported = async (flags: string) => {
      await place.done(`trunkline cdr export --force --out ${place.path('out.csv')} ${flags}`)
      const [, ...lines] = readFileSync(place.path('out.csv'), 'utf8').trimEnd().split('\n')
      return lines.length
    }
    assert.equal(await exported('--unrated'), 2)
    assert.equal(await exported('--unrated --month 2026-10 --tenant beta'), 1)
    assert.equal(await exported('--month 2026-10'), 5)
    assert.equal(await exported('--min-cost 0.0246'), 3)
    assert.equal(await exported('--status no-answer'), 1)
  })
})

describe('other lists', () => {
  it('of messages and audit entries, and a rerate, can be of a month', async () => {
    assert.equal(await place.done('trunkline sms list --month 2026-10'), '')
    assert.equal(await place.done('trunkline audit list --month 2020-01'), '')
    const { examined } = await place.json('trunkline cdr rerate beta --month 2026-10 --dry-run')
    assert.equal(examined, 1)
    assert.equal((await place.json('trunkline cdr rerate beta --month 2026-11 --dry-run')).examined, 0)
  })

  it('can be sorted by a number, or reversed', async () => {
    const slugs = async (flags: string) => place.done(`trunkline tenant list --fields slug ${flags}`)
    assert.equal(await slugs('--sort max_extensions --reverse'), 'acme\nbeta\n')
    assert.equal(await slugs('--reverse'), 'acme\nbeta\n')
    assert.equal(await slugs(''), 'beta\nacme\n')
  })
})
