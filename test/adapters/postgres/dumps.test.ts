import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { openStorage } from '../../../adapters/postgres/storage.ts'
import { unbuilt } from '../../support/cli/cli.ts'
import { manualClock } from '../../support/clock.ts'
import { insert, listOf } from '../../support/data/rows.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { newDatabase } from '../../support/postgres/databases.ts'
import { type Ran, run } from '../../support/programs.ts'

const PASSWORD = 'kW3-9fQm-Zt81'

/** How a program of PostgreSQL was called. */
interface Call {
  readonly program: string
  readonly args: readonly string[]
  readonly password: string | undefined
}

const { path: folder, remove } = temporaryFolder()
after(remove)
const at = (name: string): string => join(folder, name)
const programs = at('programs')
const calls = (): Call[] =>
  existsSync(at('calls'))
    ? readFileSync(at('calls'), 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
    : []

/** A stand-in for a program of PostgreSQL: notes how it is called, and does this with its arguments `args`. */
function standIn(program: string, does: string): void {
  const noted = `{ program: '${program}', args, password: process.env.PGPASSWORD }`
  writeFileSync(
    join(programs, program),
    `#!${process.execPath}
const fs = require('node:fs')
const args = process.argv.slice(2)
fs.appendFileSync(${JSON.stringify(at('calls'))}, JSON.stringify(${noted}) + '\\n')
${does}`,
  )
  chmodSync(join(programs, program), 0o755)
}

const DUMPS = `fs.writeFileSync(args.find(arg => arg.startsWith('--file=')).slice(7), 'a dump')`
const LISTS = `if (args[0] === '--list') console.log('4021; 0 16399 TABLE DATA public schema_version trunkline')`
const failing = (words: string): string => `console.error(${JSON.stringify(words)}); process.exitCode = 1`

describe('dumps', { timeout: 60_000, skip: unbuilt }, () => {
  let db = ''
  let address = ''
  /** The address as programs of PostgreSQL get it. */
  let shown = ''
  before(async () => {
    mkdirSync(programs)
    address = await newDatabase()
    db = address.replace('@', `:${PASSWORD}@`)
    const url = new URL(address.replace('@/', '@localhost/'))
    url.searchParams.delete('fsync')
    shown = url.href
    const storage = await openStorage(address, { clock: manualClock(), create: true })
    await insert(storage.records, 'tenants', { slug: 'acme' })
    await storage.close()
  })
  beforeEach(() => {
    writeFileSync(at('calls'), '')
    standIn('pg_dump', DUMPS)
    standIn('pg_restore', LISTS)
  })

  const trunkline = (...args: string[]): Promise<Ran> =>
    run(process.execPath, ['dist/bin/trunkline.js', ...args], { env: { TRUNKLINE_DB: db, PATH: programs } })
  const tenants = async (): Promise<unknown[]> => {
    const storage = await openStorage(address, { clock: manualClock() })
    const found = await listOf(storage.records, 'tenants')
    await storage.close()
    return found.map(({ slug }) => slug)
  }
  const files = (): string[] => readdirSync(folder).sort()

  it('are made by pg_dump without uploads and jobs, checked by pg_restore, and readable by their owner alone', async () => {
    const to = at('made.dump')
    const { code, stdout, stderr } = await trunkline('db', 'backup', to)
    assert.deepEqual([code, stdout], [0, `${to}: 0.0 MB, verified\n`], stderr)
    const [dump, list, ...others] = calls()
    const draft = list?.args[1] ?? ''
    assert.deepEqual(dump, {
      program: 'pg_dump',
      args: [
        ...['--no-password', `--dbname=${shown}`, '--format=custom', '--exclude-schema=before_restore_*'],
        ...['uploads', 'jobs', 'job_chunks'].map(table => `--exclude-table-data=${table}`),
        ...['--no-owner', `--file=${draft}`],
      ],
      password: PASSWORD,
    })
    assert.deepEqual([list?.program, list?.args, others], ['pg_restore', ['--list', draft], []])
    assert.equal(statSync(to).mode & 0o777, 0o600)
    assert.deepEqual([readFileSync(to, 'utf8'), existsSync(draft)], ['a dump', false])
  })

  it('leave no file behind when pg_dump fails, and its words are the message', async () => {
    const before = files()
    const mismatch =
      'pg_dump: error: aborting because of server version mismatch\npg_dump: detail: server version: 18.4'
    standIn('pg_dump', `${DUMPS}; ${failing(mismatch)}`)
    const { code, stderr } = await trunkline('db', 'backup', at('failed.dump'))
    assert.deepEqual(
      [code, stderr.split('\n')[0]],
      [69, 'error: pg_dump failed: aborting because of server version mismatch; server version: 18.4'],
    )
    assert.deepEqual(files(), before)
  })

  it('that pg_restore cannot read are no backups', async () => {
    const before = files()
    standIn('pg_restore', failing('pg_restore: error: input file does not appear to be a valid archive'))
    const { code, stderr } = await trunkline('db', 'backup', at('wrong.dump'))
    assert.equal(code, 74)
    assert.match(stderr, /is not a dump of a Trunkline database/)
    assert.deepEqual(files(), before)
  })

  for (const missing of ['pg_dump', 'pg_restore'])
    it(`need ${missing}, and say how to get it`, async () => {
      const before = files()
      const { code, stderr } = await run(
        process.execPath,
        ['dist/bin/trunkline.js', 'db', 'backup', at('never.dump')],
        { env: { TRUNKLINE_DB: db, PATH: missing === 'pg_dump' ? at('nowhere') : onlyDump() } },
      )
      assert.equal(code, 69)
      assert.match(stderr, new RegExp(`^error: ${missing} is not on the path\\.\nhint: install .*postgresql-client`))
      assert.deepEqual(files(), before)
    })

  /** A path with `pg_dump` alone. */
  function onlyDump(): string {
    const path = join(programs, 'alone')
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'pg_dump'), readFileSync(join(programs, 'pg_dump')), { mode: 0o755 })
    return path
  }

  it('are restored in one transaction, and if that fails, the former tables are back', async () => {
    const from = at('to-restore.dump')
    writeFileSync(from, 'a dump')
    standIn('pg_restore', `${LISTS}; else { ${failing('pg_restore: error: could not execute query')} }`)
    const { code, stderr } = await trunkline('db', 'restore', from, '--yes')
    assert.deepEqual([code, stderr.split('\n')[0]], [69, 'error: pg_restore failed: could not execute query'])
    const [list, restore, ...others] = calls()
    assert.deepEqual([list?.args, others], [['--list', from], []])
    assert.deepEqual(restore, {
      program: 'pg_restore',
      args: ['--no-password', `--dbname=${shown}`, '--single-transaction', '--exit-on-error', '--no-owner', from],
      password: PASSWORD,
    })
    assert.deepEqual(await tenants(), ['acme'])
  })
})
