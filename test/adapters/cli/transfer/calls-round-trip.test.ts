import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { SOURCE_FORMATS, switchOf } from '../../../../core/calls/completed-call.ts'
import { OUTCOMES } from '../../../../core/rating/outcome.ts'
import { callIds, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { type Desk, openDesk } from '../../../support/cli/imports.ts'
import { readerOf } from '../../../support/data/reader.ts'
import { asteriskRow, freeswitchRow, ndjsonRow } from '../../../support/data/switch.ts'

const ACME = [
  'trunkline init --email admin@example.com --password-file -',
  'trunkline tenant create --name Acme --slug acme --domain acme.example.com --status active --timezone UTC --max-extensions 9',
  'trunkline extension create --tenant acme --extension-number 101 --display-name Desk --secret-file - --status active',
]
const RATES = [
  'trunkline rate create --tenant acme --prefix 380 --destination Ukraine --cost-per-minute 0.0123 --billing-increment 6 --status active',
  'trunkline rate create --tenant acme --prefix 49 --destination Germany --cost-per-minute 0.02 --billing-increment 60 --status active',
]
const run = async (place: Workplace, lines: readonly string[]): Promise<void> => {
  for (const line of lines) await place.done(line, { input: 'kW3-9fQm-Zt81\n' })
}

/** Everything stored of calls, except this database's ids and times. */
async function recordsOf(place: Workplace): Promise<unknown[]> {
  const reader = await readerOf(place.db)
  const calls = await reader.records('SELECT * FROM cdrs ORDER BY id')
  const ratings = await reader.records('SELECT * FROM cdr_ratings')
  const extensions = await reader.records('SELECT id, extension_number FROM extensions')
  const rates = await reader.records('SELECT id, prefix FROM rates')
  const histories = await reader.records('SELECT * FROM cdr_rating_history ORDER BY id')
  await reader.close()
  const own = new Set(['id', 'cdr_id', 'rate_id', 'created_at', 'updated_at', 'extension_id', 'tenant_id', 'run'])
  const withoutOwn = (row: Record<string, unknown>): object =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !own.has(name)))
  return calls.map(call => {
    const rating = ratings.find(({ cdr_id }) => cdr_id === call.id)
    return {
      ...withoutOwn({ ...call, ...rating }),
      extension: extensions.find(({ id }) => id === call.extension_id)?.extension_number,
      present_rate: rates.find(({ id }) => id === rating?.rate_id)?.prefix ?? null,
      history: histories.filter(({ cdr_id }) => cdr_id === call.id).map(withoutOwn),
    }
  })
}

describe('calls of switches that are exported', () => {
  const from = workplace()
  const asterisk = [
    asteriskRow({ id: '1.1', to: '00380501112233' }),
    asteriskRow({ id: '1.2', to: '0049301234', start: '2026-10-01 12:01:00' }),
    asteriskRow({ id: '1.3', to: '00380501112233', seconds: 0, start: '2026-10-01 12:02:00' }),
    asteriskRow({ id: '1.4', from: '00380501112233', to: '101', start: '2026-10-01 12:03:00' }),
    asteriskRow({ id: '1.5', to: '0035912345', start: '2026-10-01 12:04:00' }),
  ].join('')
  const named = ndjsonRow({ id: '12e5', start: '2026-10-02 09:00:00' })
  const ingests = [
    'trunkline cdr ingest Master.csv',
    'trunkline cdr ingest fs.csv',
    'trunkline cdr ingest n.ndjson --switch pbx-2',
  ]
  const at = (place: Workplace, line: string): string =>
    line.replace(/(Master\.csv|fs\.csv|n\.ndjson)/, place.path('$1'))
  before(async () => {
    await run(from, [...ACME, ...RATES.slice(0, 1)])
    writeFileSync(from.path('Master.csv'), asterisk)
    writeFileSync(from.path('fs.csv'), freeswitchRow({ id: 'f-1', to: '00380501112234' }))
    writeFileSync(from.path('n.ndjson'), named)
    await run(from, [
      ...ingests.map(line => at(from, line)),
      ...RATES.slice(1),
      'trunkline cdr rerate --tenant acme --yes',
    ])
    const [first] = await callIds(from)
    await run(from, [
      `trunkline cdr update ${first} --cost 9.5`,
      "trunkline cdr create --tenant acme --extension acme/101 --caller-number 101 --destination-number 102 --direction inbound --disposition ANSWERED --duration-seconds 5 --bill-seconds 5 --cost 0 --started-at '2026-10-03 12:00:00'",
    ])
  })
  after(() => from.remove())

  for (const format of ['csv', 'ndjson', 'json'])
    test(`are the same records in a fresh database, known by their ids and rated as they were (${format})`, async () => {
      const file = from.path(`calls.${format}`)
      await from.done(`trunkline cdr export --out ${file}`)
      const to = workplace()
      await run(to, [...ACME, ...RATES])
      await to.done(`trunkline cdr import ${file}`)
      assert.deepEqual(await await recordsOf(to), await recordsOf(from))
      const again = to.path(`again.${format}`)
      await to.done(`trunkline cdr export --out ${again}`)
      assert.equal(readFileSync(again, 'utf8'), readFileSync(file, 'utf8'))

      for (const line of ingests) assert.match(await to.done(at(from, line)), /^stored {6}0\n/)
      const second = await to.json(`trunkline cdr import ${file}`)
      assert.deepEqual([second.created, second.skipped, second.rejected], [0, 8, 0])
      const rerated = await to.json('trunkline cdr rerate --tenant acme --dry-run')
      assert.deepEqual([rerated.examined, rerated.changed, rerated.edited_by_hand, rerated.still_unrated], [7, 1, 1, 1])
      assert.deepEqual(await await recordsOf(to), await recordsOf(from))
      to.remove()
    })

  test('are recognised in the database that they came from', async () => {
    const file = from.path('same.csv')
    await from.done(`trunkline cdr export --out ${file}`)
    const before = await recordsOf(from)
    const { created, skipped } = await from.json(`trunkline cdr import ${file}`)
    assert.deepEqual([created, skipped], [0, 8])
    assert.deepEqual(await recordsOf(from), before)
  })

  test('import to the same records where the rates are others, and without the tenant not at all', async () => {
    const file = from.path('other.csv')
    await from.done(`trunkline cdr export --out ${file}`)
    const to = workplace()
    await run(to, ACME.slice(0, 1))
    const { code, stderr } = await to.run(`trunkline cdr import ${file}`)
    assert.equal(code, 65)
    assert.match(stderr, /other\.csv:2: tenant: The selected tenant is invalid\./)
    assert.deepEqual(await await recordsOf(to), [])
    await run(to, ACME.slice(1))
    await to.done(`trunkline cdr import ${file}`)
    const withoutRate = (await recordsOf(from)).map(call => ({ ...Object(call), present_rate: null }))
    assert.deepEqual(await await recordsOf(to), withoutRate)
    to.remove()
  })
})

describe('an import of calls', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    await desk.create('tenants', { slug: 'acme' })
  })
  afterEach(() => desk.close())

  const HEAD =
    'tenant,caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'
  const row = (n: number, kept = ''): string =>
    `acme,101,38050${n},outbound,ANSWERED,60,60,1,2026-10-01 12:00:00${kept}\n`
  const IDS = `${HEAD},source,switch_call_id\n`
  const count = async (): Promise<number> => Number((await desk.query('SELECT count(*) FROM cdrs'))[0])

  test('recognises calls without an id by all of their values: two equal ones stay two', async () => {
    const text = `${HEAD}\n${row(1)}${row(1)}${row(2)}`
    assert.equal((await desk.take('cdrs', text)).summary.created, 3)
    const { summary, stderr } = await desk.take('cdrs', text, [], 'other.csv')
    assert.deepEqual([summary.created, summary.skipped], [0, 3])
    assert.match(stderr, /3 rows: 0 created, 3 skipped, since they are stored already, 0 rejected/)
    const more = await desk.take('cdrs', `${HEAD}\n${row(1)}${row(1)}${row(1)}${row(3)}`)
    assert.deepEqual([more.summary.created, more.summary.skipped], [2, 2])
    assert.equal((await desk.take('cdrs', text, ['--allow-duplicates'])).summary.created, 3)
  })

  test('says in a dry run which calls are stored already', async () => {
    await desk.take('cdrs', `${IDS}${row(1, ',asterisk,1')}${row(2, ',,')}`)
    const { summary } = await desk.take('cdrs', `${IDS}${row(1, ',asterisk,1')}${row(2, ',,')}${row(3, ',,')}`, [
      '--dry-run',
    ])
    assert.deepEqual([summary.created, summary.skipped], [1, 2])
    assert.equal(await count(), 2)
  })

  test('refuses a call that has the id of another, and takes the same id of another switch', async () => {
    await desk.take('cdrs', `${IDS}${row(1, ',asterisk,1')}`)
    const { summary, stderr } = await desk.take('cdrs', `${IDS}${row(2, ',asterisk,1')}`)
    assert.deepEqual([summary.created, summary.rejected], [0, 1])
    assert.match(
      stderr,
      /^in\.csv:2: switch_call_id: The switch call id "1" is that of another call, to 380501 at 2026-10-01T12:00:00\.000000Z; if this one is of another switch, name that in the column switch\.\n/,
    )
    assert.doesNotMatch(stderr, /--mode/)
    const named = `${HEAD},source,switch,switch_call_id\n${row(2, ',asterisk,pbx-2,1')}`
    assert.equal((await desk.take('cdrs', named)).summary.created, 1)
  })

  test('takes one id of a file once, and refuses it for another call', async () => {
    const text = `${IDS}${row(1, ',asterisk,1')}${row(1, ',asterisk,1')}${row(2, ',asterisk,1')}`
    const { summary } = await desk.take('cdrs', text, ['--on-error', 'continue'])
    assert.deepEqual([summary.created, summary.skipped, summary.rejected], [1, 1, 1])
  })

  test('requires the source and the id if any other column of a switch is given', async () => {
    const switches = [...new Set(SOURCE_FORMATS.map(switchOf))]
    const { summary } = await desk.take(
      'cdrs',
      `${IDS.trim()},outcome\n${row(1, ',,1,')}${row(2, ',asterisk,,')}${row(3, ',,,rated')}${row(4, ',cisco,1,lost')}`,
      ['--on-error', 'continue'],
    )
    assert.deepEqual(
      summary.errors.map(({ line, message }) => `${line}: ${message}`),
      [
        '2: The source field is required with switch call id.',
        '3: The switch call id field is required with source.',
        '4: The source field is required with outcome.',
        `5: The source field must be one of ${switches.join(', ')}.`,
        `5: The outcome field must be one of ${OUTCOMES.join(', ')}.`,
      ],
    )
  })

  test('derives the outcome of a call if the file does not have it', async () => {
    const answered = row(1, ',asterisk,1')
    const text = `${IDS}${answered}${answered.replace('ANSWERED', 'BUSY').replace(',1\n', ',2\n')}${answered.replace('outbound', 'inbound').replace(',1\n', ',3\n')}`
    await desk.take('cdrs', text)
    assert.deepEqual(await desk.query('SELECT switch_call_id, outcome FROM cdr_ratings ORDER BY cdr_id'), [
      '1|rated',
      '2|not answered',
      '3|inbound',
    ])
  })

  test('refuses invalid former ratings', async () => {
    const bad = ['[1]', '{}', '[{"replaced_at":"2026-10-01","outcome":"rated","bill_seconds":-1,"cost":"1"}]']
    const rows = bad.map((history, i) => row(i, `,asterisk,${i},"${history.replaceAll('"', '""')}"`)).join('')
    const { summary } = await desk.take('cdrs', `${IDS.trim()},former_ratings\n${rows}`)
    assert.deepEqual(
      summary.errors.map(({ message }) => message),
      [
        'The former ratings field must be an array of ratings: The replaced at field is required.',
        'The former ratings field must be an array of ratings.',
        'The former ratings field must be an array of ratings: The bill seconds field must be at least 0.',
      ],
    )
  })

  const many = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => row(from + i, i % 2 ? `,asterisk,${from + i}` : ',,')).join('')

  test('that was interrupted counts what was known before and after', async () => {
    await desk.take('cdrs', IDS + many(0, 1000))
    const text = IDS + many(0, 3000).replace('380502500', '')
    const first = await desk.take('cdrs', text, [], 'big.csv')
    assert.equal(first.summary.rejected, 1)
    const { summary } = await desk.take(
      'cdrs',
      text.replace('acme,101,,', 'acme,101,380502500,'),
      ['--resume'],
      'big.csv',
    )
    assert.deepEqual([summary.rows, summary.created, summary.skipped], [3000, 2000, 1000])
    assert.equal(await count(), 3000)
  })
})
