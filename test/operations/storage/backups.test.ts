import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { copyDatabase, verify } from '../../../adapters/sqlite/database/copy-file.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { type BackupPlan, backUpIfDue, backupsIn, lastBackupAt } from '../../../bin/daemon/backups.ts'
import { manualClock } from '../../support/clock.ts'
import { startDaemon } from '../../support/daemon.ts'
import { backedUpDatabases } from '../../support/data/backups.ts'
import { trunkline } from '../../support/programs.ts'

const place = backedUpDatabases()

const NOON = '2026-03-01T12:00:00.000000Z'

/** The id of a process that has ended. */
const endedPid = (): number => spawnSync(process.execPath, ['--version']).pid

const COMMAND_LINE = [process.execPath, 'dist/bin/trunkline.js']

interface Tried {
  readonly outcome: string
  readonly logged: string
}

/** Makes the daemon check for a due backup, at a moment and with a command line. */
async function tried(
  plan: BackupPlan,
  moment: string,
  commandLine: readonly string[] = COMMAND_LINE,
  stop = new AbortController(),
): Promise<Tried> {
  let logged = ''
  const log = pino(
    { base: null },
    {
      write: line => {
        logged += line
      },
    },
  )
  const around = { clock: manualClock(moment), log, commandLine: () => commandLine }
  return { outcome: await backUpIfDue(plan, around, stop.signal), logged }
}

describe('the backups of the daemon', { timeout: 60_000 }, () => {
  it('fail without delaying anything else if their folder cannot be created', async () => {
    const plan = await place()
    for (const folder of ['/proc/none/backups', '/dev/null/backups']) {
      const { outcome, logged } = await tried({ ...plan, backup_dir: folder }, NOON)
      assert.equal(outcome, 'failed')
      assert.match(logged, /a backup failed/)
    }
  })

  it('are made when they are due, and only the newest of its own are kept', async () => {
    const plan = await place()
    const others = ['trunkline-2020-01-01.db', 'trunkline-2020-01-01T00-00-00Z.db.gz', 'before.db']
    mkdirSync(plan.backup_dir)
    for (const name of others) writeFileSync(join(plan.backup_dir, name), '')
    const outcomes = []
    for (const moment of ['01T12:00', '02T11:59', '02T12:01', '03T12:02'])
      outcomes.push((await tried(plan, `2026-03-${moment}:00.000000Z`)).outcome)
    assert.deepEqual(outcomes, ['made', 'not due', 'made', 'made'])
    const names = ['trunkline-2026-03-02T12-01-00Z.db', 'trunkline-2026-03-03T12-02-00Z.db']
    assert.deepEqual(readdirSync(plan.backup_dir).sort(), [...names, ...others].sort())
    for (const name of names) {
      assert.equal((statSync(join(plan.backup_dir, name)).mode & 0o777).toString(8), '600')
      verify(join(plan.backup_dir, name))
    }
  })

  it('leave nothing when they fail, and say why', async () => {
    const plan = await place()
    const failing = `const [file] = process.argv.slice(-1); require('fs').writeFileSync(file + '.part-' + process.pid, 'half')
      console.error('error: no space'); process.exit(74)`
    const { outcome, logged } = await tried(plan, NOON, [process.execPath, '-e', failing, '--'])
    assert.equal(outcome, 'failed')
    assert.match(logged, /a backup failed/)
    assert.match(logged, /error: no space/)
    assert.deepEqual(readdirSync(plan.backup_dir), [])
    assert.equal((await tried({ ...plan, backup_dir: `${plan.db}/x` }, NOON)).outcome, 'failed')
    assert.equal((await tried(plan, NOON, ['/no/such/program'])).outcome, 'failed')
  })

  it('leave nothing when the daemon stops in the middle, which is not reported as a failure', async () => {
    const plan = await place()
    const hanging = `const [file] = process.argv.slice(-1); require('fs').writeFileSync(file + '.part-' + process.pid, 'half')
      setInterval(() => undefined, 1000)`
    const stop = new AbortController()
    mkdirSync(plan.backup_dir)
    const watcher = watch(plan.backup_dir, () => stop.abort())
    const { outcome, logged } = await tried(plan, NOON, [process.execPath, '-e', hanging, '--'], stop)
    watcher.close()
    assert.deepEqual([outcome, logged], ['failed', ''])
    assert.deepEqual(readdirSync(plan.backup_dir), [])
  })

  it('remove what a killed process left of a backup, but not what a running one is writing', async () => {
    const plan = await place()
    mkdirSync(plan.backup_dir)
    const ended = `trunkline-2020-01-01T00-00-00Z.db.part-${endedPid()}`
    const running = `trunkline-2020-01-02T00-00-00Z.db.part-${process.ppid}`
    for (const name of [ended, `${ended}-journal`, running]) writeFileSync(join(plan.backup_dir, name), 'half')
    assert.equal((await tried(plan, NOON)).outcome, 'made')
    assert.deepEqual(readdirSync(plan.backup_dir).sort(), [running, 'trunkline-2026-03-01T12-00-00Z.db'])
  })

  it('report when the newest of them began', async () => {
    const plan = await place()
    assert.equal(lastBackupAt(plan.backup_dir), 0)
    await tried(plan, NOON)
    await tried(plan, NOON.replace('01T', '03T'))
    await tried(plan, NOON.replace('01T', '05T'), ['/no/such/program'])
    assert.equal(lastBackupAt(plan.backup_dir), Date.UTC(2026, 2, 3, 12) / 1000)
  })

  it('are made by the running daemon if the settings ask for them', async () => {
    const plan = await place()
    const { db: TRUNKLINE_DB, backup_dir: TRUNKLINE_BACKUP_DIR } = plan
    const daemon = await startDaemon({ TRUNKLINE_DB, TRUNKLINE_BACKUP_DIR, TRUNKLINE_BACKUP_EVERY: '24' })
    await daemon.untilLogged('a backup was made')
    const { code, stderr } = await daemon.stop()
    assert.equal(code, 0, stderr)
    const [name = '', ...others] = backupsIn(plan.backup_dir)
    assert.deepEqual(others, [])
    verify(join(plan.backup_dir, name))
  })
})

describe('a backup', () => {
  it('never replaces a file created meanwhile', async () => {
    const plan = await place()
    const to = `${plan.db}.backup`
    const db = new Sqlite(plan.db)
    const beside = new Proxy(db, {
      get: (real, name) => {
        if (name === 'prepare') writeFileSync(to, 'another')
        const member: unknown = Reflect.get(real, name, real)
        return typeof member === 'function' ? member.bind(real) : member
      },
    })
    assert.throws(() => copyDatabase(beside, to), { code: 'conflict', message: `${to} already exists.` })
    db.close()
    assert.equal(readFileSync(to, 'utf8'), 'another')
    assert.deepEqual(readdirSync(join(plan.db, '..')).sort(), ['trunkline.db', 'trunkline.db.backup'])
  })
})

describe('a backup that is killed', { timeout: 60_000 }, () => {
  it('leaves a part, which the next one to that place removes, but no part of a running process', async () => {
    const { db } = await place()
    const [backup, neighbour] = [`${db}.backup`, `${db}.other`]
    const pid = endedPid()
    const stale = [`${backup}.part-${pid}`, `${backup}.part-${pid}-journal`]
    const others = [`${backup}.part-${process.pid}`, `${neighbour}.part-${pid}`]
    for (const path of [...stale, ...others]) writeFileSync(path, 'half')
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    for (const path of stale) assert.equal(existsSync(path), false, path)
    for (const path of others) assert.equal(existsSync(path), true, path)
  })
})
