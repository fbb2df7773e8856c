import { execFile } from 'node:child_process'
import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { AppError } from '../../../core/errors.ts'
import type { Spread } from '../../sql/spread.ts'
import { FLEETING_TABLES } from '../../sql/tables.ts'
import { claimAlone } from '../fleet/serving.ts'
import { connect, type Database } from './database.ts'
import { codeOf, translate } from './errors.ts'
import { forPrograms } from './options.ts'
import { raw, sql } from './sql.ts'

const run = promisify(execFile)

/** Runs a program of PostgreSQL on the database. Returns what it prints. Throws `unavailable`. */
async function runClient(address: string, program: string, args: readonly string[]): Promise<string> {
  const { dbname, env } = await forPrograms(address)
  try {
    const { stdout } = await run(program, ['--no-password', `--dbname=${dbname}`, ...args], { env, maxBuffer: 2 ** 28 })
    return stdout
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT')
      throw new AppError('unavailable', `${program} is not on the path.`, {
        cause,
        hint: 'install the client programs of PostgreSQL (apt install postgresql-client), or use the tools of the server’s backups',
      })
    throw new AppError('unavailable', `${program} failed: ${complaintOf(cause)}`, { cause })
  }
}

/** Its last lines say what went wrong; one alone may be a mere detail, such as versions that do not fit. */
const COMPLAINT_LINES = 3

/** The last words of a program that failed, in one line and without its name. */
function complaintOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  const lines = said.split('\n').slice(-COMPLAINT_LINES)
  return lines.map(line => line.replace(/^\w+: (?:error: |detail: |hint: )?/, '')).join('; ') || 'it was killed'
}

/** pg_dump knows nothing of what is on other nodes. */
export const noDumps = ({ backupHint }: Spread): AppError =>
  new AppError('configuration', 'A cluster is not backed up or restored by one dump.', { hint: backupHint })

/** Writes a dump in pg_dump's custom format, which appears at its place when complete. */
export async function backup(address: string, to: string): Promise<{ readonly bytes: number }> {
  const alreadyThere = (): AppError => new AppError('conflict', `${to} already exists.`)
  if (existsSync(to)) throw alreadyThere()
  const draft = `${to}.part-${process.pid}`
  try {
    // It fills an existing file, which keeps its mode.
    closeSync(openSync(draft, 'wx', 0o600))
    await runClient(address, 'pg_dump', [
      '--format=custom',
      '--exclude-schema=before_restore_*',
      ...FLEETING_TABLES.map(table => `--exclude-table-data=${table}`),
      '--no-owner',
      `--file=${draft}`,
    ])
    assertDump(draft, await listed(draft))
    linkSync(draft, to)
    return { bytes: statSync(to).size }
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? alreadyThere() : error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Returns the table of contents of a dump; empty for any other file. Throws `unavailable` without pg_restore. */
async function listed(dump: string): Promise<string> {
  try {
    return (await run('pg_restore', ['--list', dump], { maxBuffer: 2 ** 28 })).stdout
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') return ''
    throw new AppError('unavailable', 'pg_restore is not on the path.', {
      cause,
      hint: 'install the client programs of PostgreSQL (apt install postgresql-client)',
    })
  }
}

function assertDump(path: string, contents: string): void {
  if (!contents.includes(' TABLE DATA public schema_version '))
    throw new AppError('corrupt', `${path} is not a dump of a Trunkline database by pg_dump --format=custom.`)
}

/**
 * Restores a dump in one transaction. The former tables are kept in a schema of their own, whose name is returned;
 * null if there were none. After a failure they are back in their place.
 */
export async function restore(address: string, from: string): Promise<{ readonly kept: string | null }> {
  assertDump(from, await listed(from))
  const database = connect(address)
  const alone = database.session()
  try {
    if (!(await claimAlone(alone)))
      throw new AppError('conflict', 'The database is in use.', { hint: 'systemctl stop trunklined' })
    const kept = await setAside(database)
    try {
      await runClient(address, 'pg_restore', ['--single-transaction', '--exit-on-error', '--no-owner', from])
      // The backup's sessions may have ended since.
      await database.single.run(raw('DELETE FROM public.sessions'))
    } catch (error) {
      if (kept !== null) await putBack(database, kept)
      throw error
    }
    return { kept }
  } catch (error) {
    throw translate(error)
  } finally {
    await alone.close()
    await database.close()
  }
}

/** The extension is used by the tables that are kept as well as by the restored ones. */
const EXTENSION = 'ALTER EXTENSION pg_trgm SET SCHEMA'

async function setAside(database: Database): Promise<string | null> {
  const isEmpty = await database.value<boolean>(sql`SELECT to_regclass('public.schema_version') IS NULL`)
  if (isEmpty) return null
  const name = `before_restore_${new Date().toISOString().replaceAll(/[^\d]/g, '')}`
  await database.write(async within => {
    await within.script(`ALTER SCHEMA public RENAME TO ${name}; CREATE SCHEMA public; ${EXTENSION} public`)
  })
  return name
}

const putBack = (database: Database, name: string): Promise<void> =>
  database.write(async within => {
    await within.script(`${EXTENSION} ${name}; DROP SCHEMA public CASCADE; ALTER SCHEMA ${name} RENAME TO public`)
  })
