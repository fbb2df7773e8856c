import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { importRecords } from '../../../../adapters/cli/transfer/import/import.ts'
import { readImportOptions } from '../../../../adapters/cli/transfer/import/options.ts'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { DECK_HEADER, type Desk, deck, listening, openDesk } from '../../../support/cli/imports.ts'
import { manualClock } from '../../../support/clock.ts'

const FLAGS = ['--tenant', 'acme']

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

const prefixes = async (): Promise<string[]> => await desk.query('SELECT prefix FROM rates ORDER BY id')

describe('an import with bad rows', () => {
  const text = deck('1,a,1,60,active', '2,b,bad,60,active', '1,c,1,60,active', '3,d,1,60,active')

  it('stores nothing, and still shows the errors that only the others show', async () => {
    const { summary, stderr } = await desk.take('rates', text, FLAGS)
    assert.deepEqual(await prefixes(), [])
    assert.deepEqual([summary.created, summary.rejected], [0, 2])
    assert.match(stderr, /^nothing was imported/m)
  })

  it('names the element of a JSON array, which may stand on one line as a whole', async () => {
    const rate = (prefix: string, cost_per_minute: string) =>
      JSON.stringify({ prefix, destination: 'x', cost_per_minute, billing_increment: 60, status: 'active' })
    const array = `[${rate('1', '1')},${rate('2', 'bad')},${rate('1', '2')}] .`
    const { summary, stderr } = await desk.take('rates', array, [...FLAGS, '--format', 'json'])
    assert.deepEqual(
      summary.errors.map(({ line, element, field }) => [line, element, field]),
      [
        [1, 2, 'cost_per_minute'],
        [1, undefined, 'row'],
        [1, 3, 'prefix'],
      ],
    )
    assert.match(stderr, /^\S+:1: element 2: cost_per_minute: /m)
  })

  it('names the column where a rule of the storage is broken', async () => {
    await desk.create('tenants', { slug: 'other', domain: 'other.example.com' })
    await desk.create('extensions', { tenant_id: 2, extension_number: '7' })
    await desk.create('dids', { tenant_id: 1, number: '+380441234567' })
    const table = 'did,target_type,target\n+380441234567,extension,other/7\n'
    const { summary } = await desk.take('routes', table, [])
    assert.deepEqual(
      summary.errors.map(({ field, rule }) => [field, rule]),
      [['target', 'foreign']],
    )
  })

  it('keeps the good ones with --on-error continue', async () => {
    const { summary } = await desk.take('rates', text, [...FLAGS, '--on-error', 'continue'])
    assert.deepEqual(await prefixes(), ['1', '3'])
    assert.deepEqual([summary.created, summary.rejected], [2, 2])
  })

  it('writes them unchanged with the reason, and imports the file once it is corrected', async () => {
    const rejects = join(desk.folder, 'rejects.csv')
    const quoted = deck('1,a,1,60,active', '2,"b, ""b""\nb",bad,60,active', '1,c,1,60,active', '4,d,1,60')
    await desk.take('rates', quoted, [...FLAGS, '--on-error', 'continue', '--reject-file', rejects])
    const written = readFileSync(rejects, 'utf8')
    assert.equal(
      written,
      `import_error,${DECK_HEADER}\n` +
        'cost_per_minute: The cost per minute field must be a number.,2,"b, ""b""\nb",bad,60,active\n' +
        'row: The row has 4 cells where the header has 5.,4,d,1,60\n' +
        'prefix: The prefix is the same as in line 2.,1,c,1,60,active\n',
    )
    assert.equal(statSync(rejects).mode & 0o777, 0o600)
    const corrected = written
      .replace(',bad,', ',2,')
      .replace('.,1,c', '.,5,c')
      .replace('4,d,1,60\n', '4,d,1,60,active\n')
    const { summary } = await desk.take('rates', corrected, FLAGS)
    assert.deepEqual([summary.created, summary.rejected], [3, 0])
    assert.deepEqual(await prefixes(), ['1', '2', '4', '5'])
  })

  for (const [format, wrap] of [
    ['ndjson', (rows: string[]) => `${rows.join('\n')}\n`],
    ['json', (rows: string[]) => `[${rows.join(',')}]`],
  ] as const)
    it(`writes them and reads them again in ${format}`, async () => {
      const row = (prefix: string, cost: string) =>
        JSON.stringify({ prefix, destination: 'x', cost_per_minute: cost, billing_increment: 60, status: 'active' })
      const rejects = join(desk.folder, `rejects.${format}`)
      const flags = [...FLAGS, '--on-error', 'continue', '--reject-file', rejects]
      await desk.take('rates', wrap([row('1', '1'), row('2', 'bad'), row('3', 'bad')]), flags, `in.${format}`)
      const corrected = readFileSync(rejects, 'utf8').replaceAll('"bad"', '"2"')
      const { summary } = await desk.take('rates', corrected, FLAGS, `rejects.${format}`)
      assert.deepEqual([summary.rows, summary.created, summary.rejected], [2, 2, 0])
    })

  it('writes them with the delimiter of the input, and with a byte-order mark where it has one or --bom asks for it', async () => {
    const rejects = join(desk.folder, 'rejects.csv')
    const flags = [...FLAGS, '--on-error', 'continue', '--reject-file', rejects]
    const semicolons = deck('2,b,bad,60,active').replaceAll(',', ';')
    const written = async (input: string, more: string[] = []): Promise<string> => {
      await desk.take('rates', input, [...flags, ...more])
      return readFileSync(rejects, 'utf8')
    }
    const plain = await written(semicolons)
    assert.match(plain, /^import_error;prefix;.*\ncost_per_minute: [^\n]*;2;b;bad;60;active\n$/)
    assert.equal(await written(semicolons, ['--bom']), `\ufeff${plain}`)
    assert.equal(await written(`\ufeff${semicolons}`), `\ufeff${plain}`)
    const { summary } = await desk.take('rates', readFileSync(rejects, 'utf8').replace(';bad;', ';2;'), FLAGS)
    assert.equal(summary.created, 1)
    await assert.rejects(desk.take('rates', semicolons, [...FLAGS, '--bom']), { exitCode: 64 })
  })

  it('hands rejected rows to a pipe, which stays one, and takes no folder for a reject file', async t => {
    const pipe = join(desk.folder, 'pipe')
    spawnSync('mkfifo', [pipe])
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => reader.kill())
    const heard = readAll(reader.stdout)
    await desk.take('rates', text, [...FLAGS, '--on-error', 'continue', '--reject-file', pipe])
    assert.ok(statSync(pipe).isFIFO())
    assert.match(await heard, /^import_error,.*\ncost_per_minute: [^\n]*,2,b,bad,60,active\n/)
    await assert.rejects(desk.take('rates', text, [...FLAGS, '--reject-file', desk.folder]), {
      exitCode: 73,
      message: `cannot write ${desk.folder}: it is a folder (EISDIR)`,
    })
  })

  it('refuses a reject file that cannot be made before anything is read, and one that is called -', async () => {
    const plain = join(desk.folder, 'plain')
    writeFileSync(plain, '')
    const unread = (path: string) => {
      const { context } = listening(desk.services)
      const source = { name: '-', stream: new PassThrough() }
      return importRecords({
        resource: resourceNamed('rates'),
        source,
        options: readImportOptions({ rejectFile: path }),
        context,
      })
    }
    await assert.rejects(unread(join(desk.folder, 'no/x.csv')), {
      exitCode: 73,
      message: `cannot write ${desk.folder}/no/x.csv: there is no folder ${desk.folder}/no (ENOENT)`,
    })
    await assert.rejects(unread(`${plain}/x.csv`), { exitCode: 73, message: /a part of the path is not a folder/ })
    await assert.rejects(unread(desk.folder), { exitCode: 73, message: /it is a folder/ })
    const full = { exitCode: 74, message: 'cannot write /dev/full: the disk is full (ENOSPC)' }
    await assert.rejects(desk.take('rates', text, [...FLAGS, '--reject-file', '/dev/full']), full)
    await assert.rejects(desk.give('rates', ['--out', '/dev/full']), full)
    const database = join(desk.folder, 'other.db')
    await openStorage(database, { clock: manualClock(), create: true }).close()
    const refused = { exitCode: 73, message: `cannot write ${database}: it is a database` }
    await assert.rejects(unread(database), refused)
    await assert.rejects(desk.give('rates', ['--out', database]), refused)
    const sheet = join(desk.folder, 'staff.csv')
    writeFileSync(sheet, 'extension_number,display_name\n')
    await assert.rejects(unread(sheet), {
      exitCode: 73,
      message: /staff\.csv: it already exists and does not hold rej/,
    })
    assert.equal(readFileSync(sheet, 'utf8'), 'extension_number,display_name\n')
    await assert.rejects(unread('-'), { exitCode: 64, message: /for standard output, give \/dev\/stdout/ })
  })

  it('leaves nothing in the reject file when nothing is rejected, and never overwrites its own input', async () => {
    const rejects = join(desk.folder, 'rejects.csv')
    await desk.take('rates', deck('9,x,1,60,active', '8,x,no,60,active'), [...FLAGS, '--reject-file', rejects])
    assert.ok(existsSync(rejects))
    await assert.rejects(desk.take('rates', text, [...FLAGS, '--reject-file', rejects], rejects), /overwrite the input/)
    await desk.take('rates', deck('9,x,1,60,active'), [...FLAGS, '--reject-file', rejects])
    assert.equal(readFileSync(rejects, 'utf8'), '')
    const another = join(desk.folder, 'another.csv')
    await desk.take('rates', deck('7,x,1,60,active'), [...FLAGS, '--reject-file', another])
    assert.ok(!existsSync(another))
  })

  it('gives the summary and the errors as JSON', async () => {
    const machine = await openDesk({ output: 'json' })
    try {
      await machine.create('tenants', { slug: 'acme' })
      const { stdout, stderr, summary } = await machine.take('rates', text, FLAGS)
      assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(summary)))
      assert.equal(stderr.includes('in.csv:'), false)
    } finally {
      await machine.close()
    }
  })
})

it('rows that are rejected again have the new reason instead of the old one', async () => {
  for (const separator of [',', ';']) {
    const [first, second] = [join(desk.folder, `1${separator}.csv`), join(desk.folder, `2${separator}.csv`)]
    const bad = deck('7,"A, or ""B""\nC",x,60,active', ',,1,60,active').replaceAll(',', separator)
    const flags = [...FLAGS, '--on-error', 'continue', '--reject-file']
    await desk.take('rates', bad, [...flags, first])
    const rejected = readFileSync(first, 'utf8')
    await desk.take('rates', rejected, [...flags, second], '1.csv')
    assert.equal(readFileSync(second, 'utf8'), rejected)
  }
})

it('what was partly stored is not to be imported again as it is', async () => {
  const text = deck('1,A,1,60,active', '1,B,1,60,active', '2,C,1,60,active')
  const whole = await desk.take('rates', text, FLAGS)
  assert.match(whole.stderr, /^hint: .*--allow-duplicates$/m)
  const partly = await desk.take('rates', text, [...FLAGS, '--on-error', 'continue'])
  assert.equal(partly.summary.created, 2)
  assert.doesNotMatch(partly.stderr, /hint:/)
  const mixed = await desk.take('rates', deck('3,A,1,60,active', '3,B,1,60,active', '4,C,x,60,active'), FLAGS)
  assert.doesNotMatch(mixed.stderr, /hint:/)
})
