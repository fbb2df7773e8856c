import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { Command } from 'commander'
import { CliError } from '../../../../adapters/cli/exit.ts'
import { exitCodeOf, importRecords } from '../../../../adapters/cli/transfer/import/import.ts'
import { addImportOptions, readImportOptions } from '../../../../adapters/cli/transfer/import/options.ts'
import { AppError } from '../../../../core/errors.ts'
import { grouped } from '../../../../core/format-count.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { NO_COUNTS } from '../../../../core/transfer/imported-resource.ts'
import { type Desk, listening, openDesk, storing } from '../../../support/cli/imports.ts'

const HEADER =
  'tenant,caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

/** A file of call records in which some lines replace the ordinary row; the first is line 2. */
const file = (count: number, others: Readonly<Record<number, string>>): string => {
  const rows = Array.from(
    { length: count },
    (_, i) => others[i + 2] ?? `acme,${i + 2},2,outbound,BUSY,0,0,1,2026-01-01`,
  )
  return `${[HEADER, ...rows].join('\n')}\n`
}

const BAD = 'acme,x,2,outbound,BUSY,0,0,bad,2026-01-01'

describe('a resumed import', () => {
  it('ends as one that was never interrupted: rows rejected before make it end with 65, blank lines are reported', async () => {
    const text = file(1500, { 3: BAD, 4: ',,,,,,,,' })
    const flags = ['--on-error', 'continue']
    const whole = await desk.take('cdrs', text, flags)
    assert.deepEqual([whole.summary.rejected, whole.summary.blank_lines], [1, [4]])
    assert.equal(exitCodeOf(whole.summary), 65)
    const again = await desk.take('cdrs', text, [...flags, '--resume'])
    assert.deepEqual([again.summary.rejected, again.summary.errors], [1, []])
    assert.equal(exitCodeOf(again.summary), 65)
    assert.deepEqual(again.summary.blank_lines, [4])
    assert.match(again.stderr, /1 blank \(line 4\)/)
    assert.match(again.stderr, /^continuing after 1,499 rows, 1,498 of which are already stored\n/)
  })

  it('that is interrupted while it skips stored rows says what is stored and how to continue', async () => {
    const text = Buffer.from(file(8_000, {}))
    const { summary } = await desk.take('cdrs', text)
    const stop = new AbortController()
    const stream = Readable.from(
      (function* () {
        yield text.subarray(0, text.length / 2)
        stop.abort(new CliError(143, 'interrupted: nothing was stored'))
        throw new Error('destroyed')
      })(),
    )
    const { context } = listening(desk.services)
    const options = readImportOptions({ resume: true })
    await assert.rejects(
      importRecords({
        resource: resourceNamed('cdrs'),
        source: { name: 'in.csv', stream },
        options,
        context,
        signal: stop.signal,
      }),
      ({ exitCode, message, hint }: CliError) => {
        assert.deepEqual(
          [exitCode, message],
          [143, `interrupted: ${grouped(summary.created)} records of in.csv are stored`],
        )
        assert.deepEqual(typeof hint === 'function' && hint(['import']), ['import', '--resume'])
        return true
      },
    )
  })

  it('is reported by the one that stopped at a bad row: what is stored, and the command', async () => {
    const text = file(2500, { 2200: BAD })
    const { summary, stderr } = await desk.take('cdrs', text)
    assert.ok(summary.created >= 500 && summary.created < 2200)
    const said = stderr.slice(stderr.indexOf(summary.created.toLocaleString('en'), stderr.indexOf(' s\n')))
    assert.equal(
      said,
      `${summary.created.toLocaleString('en')} records are stored; correct the rejected rows, then import the rest\n` +
        'hint: trunkline cdr import in.csv --resume\n',
    )
    const restarted = await desk.take('cdrs', text, ['--no-resume'])
    assert.match(restarted.stderr, /^hint: trunkline cdr import in\.csv --resume\n/m)
    const first = await desk.take('cdrs', file(10, { 3: BAD }).replaceAll('2026-', '2025-'))
    assert.match(first.stderr, /^nothing was imported/m)
  })

  it('stops only at bad rows of its own part, not at those that were rejected before', async () => {
    const text = file(1500, { 3: BAD })
    await desk.take('cdrs', text, ['--on-error', 'continue'])
    const { summary, stderr } = await desk.take('cdrs', text + file(5, {}).slice(HEADER.length + 1), ['--resume'])
    assert.equal(summary.created, 1504)
    assert.doesNotMatch(stderr, /mend/)
  })

  it('is reported when the disk gets full, where batches were stored', async () => {
    const full = new AppError('storage_full', 'The disk is full; nothing was stored.')
    for (const [stores, outcome] of [
      [0, full],
      [
        1,
        { exitCode: 74, cause: full, message: /^the disk is full.*; [\d,]+ records of in\.csv are stored, the others/ },
      ],
    ] as const) {
      let left: number = stores
      const open = storing(desk, async store => {
        if (left-- > 0) return store()
        throw full
      })
      const stream = Readable.from([Buffer.from(file(5000, {}))], { objectMode: false })
      const { context } = listening(desk.services)
      const source = { name: 'in.csv', stream }
      const importing = importRecords({
        resource: resourceNamed('cdrs'),
        source,
        options: readImportOptions({}),
        context: { ...context, open },
      })
      await assert.rejects(importing, outcome)
    }
  })
})

it('the hint for rows with one key names --allow-duplicates, and for stored records --mode upsert', async () => {
  const deck = (...prefixes: string[]): string =>
    `prefix,destination,cost_per_minute,billing_increment,status\n${prefixes.map(prefix => `${prefix},x,1,60,active\n`).join('')}`
  const flags = ['--tenant', 'acme']
  const twice = await desk.take('rates', deck('1', '1'), flags)
  assert.match(twice.stderr, /^hint: trunkline cdr import in\.csv --tenant acme --allow-duplicates\n/m)
  assert.equal((await desk.take('rates', deck('1', '1'), [...flags, '--allow-duplicates'])).summary.created, 2)
  await desk.take('rates', deck('2'), flags)
  const stored = await desk.take('rates', deck('2'), flags)
  assert.doesNotMatch(stored.stderr, /hint: .*--allow-duplicates/)
  assert.match(stored.stderr, /^hint: trunkline cdr import in\.csv --tenant acme --mode upsert\n/m)
  const extension = (n: string): string => `${n},x,kW3-9fQm-Zt81,active\n`
  const unique = `extension_number,display_name,secret,status\n${extension('1')}${extension('1')}`
  assert.doesNotMatch((await desk.take('extensions', unique, flags)).stderr, /--allow-duplicates/)
})

it('every error of an object is reported at once: unknown members, and values', async () => {
  const row = { prefix: '1', destinatoin: 'x', cost_per_minute: 'dear', billing_increment: 0, status: 'active' }
  const { summary } = await desk.take('rates', JSON.stringify(row), ['--tenant', 'acme'], 'in.ndjson')
  assert.deepEqual(
    summary.errors.map(({ field }) => field),
    ['destinatoin', 'destination', 'cost_per_minute', 'billing_increment'],
  )
})

it('a prefix that looks like a range is kept unchanged, with a warning of what it matches', async () => {
  const deck =
    'prefix,destination,cost_per_minute,billing_increment,status\n33-35,x,1,60,active\n380/381,x,1,60,active\n44,x,1,60,active\n'
  const { summary, stderr } = await desk.take('rates', deck, ['--tenant', 'acme'])
  assert.deepEqual([summary.created, summary.warned], [3, 2])
  assert.deepEqual(await desk.query('SELECT prefix FROM rates ORDER BY id'), ['33-35', '380/381', '44'])
  assert.match(
    stderr,
    /^in\.csv:2: warning: prefix: 33-35 is kept, and matches numbers that begin with 3335; a range must be written out\.\nin\.csv:3: warning: prefix: .* 380381; .*\n.*3 created, 0 rejected, 2 with a warning/,
  )
})

it('a range is reported whichever dash it is written with', async () => {
  const deck = ['33-35', '33‐35', '33‒35', '33–35', '33—35', '33―35', '33−35', '33－35']
    .map(prefix => `${prefix},x,1,60,active\n`)
    .join('')
  const { summary } = await desk.take('rates', `prefix,destination,cost_per_minute,billing_increment,status\n${deck}`, [
    '--tenant',
    'acme',
  ])
  assert.deepEqual([summary.created, summary.warned], [8, 8])
})

it('a prefix that does not match what it seems to, or nothing, is kept with a warning, complete in JSON', async () => {
  const deck = ['33..35', '33 to 35', '33abc', '+33', '*98', '33 35']
    .map(prefix =>
      JSON.stringify({ prefix, destination: 'x', cost_per_minute: 1, billing_increment: 60, status: 'active' }),
    )
    .join('\n')
  const other = await openDesk({ output: 'json' })
  await other.create('tenants', { slug: 'acme' })
  const { summary, stdout, stderr } = await other.take('rates', deck, ['--tenant', 'acme'], 'in.ndjson')
  assert.deepEqual([summary.created, summary.warned, stderr], [6, 3, ''])
  const warning = (line: number, message: string) => ({ line, field: 'prefix', message })
  assert.deepEqual(JSON.parse(stdout).warnings, [
    warning(1, '33..35 is kept, and matches numbers that begin with 3335; a range must be written out.'),
    warning(2, '33 to 35 is kept, and matches no number, since a prefix is digits; a range must be written out.'),
    warning(3, '33abc is kept, and matches no number, since a prefix is digits.'),
  ])
  const few = await other.take(
    'rates',
    deck,
    ['--tenant', 'acme', '--allow-duplicates', '--max-errors', '1'],
    'in.ndjson',
  )
  assert.deepEqual([few.summary.warnings.length, few.summary.more_warnings], [1, 2])
  await other.close()
})

it('a prefix cell means the same in JSON as in CSV: several, an exponent, or what is in ="…"', async () => {
  const deck = ['4.47E+11', '61 38,39', '="4.47E+11"', 'a,b']
    .map(prefix =>
      JSON.stringify({ prefix, destination: 'x', cost_per_minute: 1, billing_increment: 60, status: 'active' }),
    )
    .join('\n')
  const { summary } = await desk.take('rates', deck, ['--tenant', 'acme', '--on-error', 'continue'], 'in.ndjson')
  assert.deepEqual(
    summary.errors.map(({ line, message }) => `${line}: ${message}`),
    [
      '1: The prefix field holds 4.47E+11, which a spreadsheet made of a long number: make its column text and export it again.',
      '4: The prefix field must be one prefix, or several such as 61 38,39.',
    ],
  )
  assert.deepEqual(await desk.query('SELECT prefix FROM rates ORDER BY id'), ['6138', '6139', '4.47E+11'])
})

it('the help says what a bad row means: all or nothing, or what was stored before it stays', () => {
  const help = (resource: string): string =>
    addImportOptions(new Command(), resourceNamed(resource)).helpInformation().replaceAll(/\s+/g, ' ')
  assert.match(help('rates'), /stop: all or nothing; continue: keep the good rows/)
  assert.match(help('cdrs'), /stop: keep what came before a bad row, to continue with --resume; continue: keep/)
})

it('the audit trail shows the file of an import, without its folder, and the tenant that is given', async () => {
  const calls = file(300, {}).replaceAll('acme,', ',').replaceAll('2026-', '2024-')
  await desk.take('cdrs', file(2, {}), [], '/var/spool/2025.csv')
  await desk.take('cdrs', calls.replaceAll(/^tenant,|^,/gm, ''), ['--tenant', 'acme'], 'old/2024.csv')
  const deck = 'prefix,destination,cost_per_minute,billing_increment,status\n44,x,1,60,active\n'
  await desk.take('rates', deck, ['--tenant', 'acme'], '-')
  const counts = (created: number) => ({ ...NO_COUNTS, created })
  assert.deepEqual(
    (await desk.query("SELECT changes FROM audit WHERE action = 'import' ORDER BY id")).map(text => JSON.parse(text)),
    [
      { file: '2025.csv', ...counts(2) },
      { file: '2024.csv', tenant_id: 1, ...counts(300) },
      { file: '-', tenant_id: 1, ...counts(1) },
    ],
  )
})
