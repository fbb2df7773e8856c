import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { pino } from 'pino'
import { copyDatabase, verify } from '../../adapters/sqlite/copies.ts'
import { restore } from '../../adapters/sqlite/restore.ts'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { type BackupPlan, backUpIfDue, backupsIn, lastBackupAt } from '../../bin/backups.ts'
import { temporaryFolder } from '../support/app.ts'
import { manualClock } from '../support/clock.ts'
import { startDaemon } from '../support/daemon.ts'
import { damage, run, trunkline } from '../support/programs.ts'
import { idsOf, insert } from '../support/rows.ts'

const folder = temporaryFolder()
after(folder.remove)
let places = 0

const NOON = '2026-03-01T12:00:00.000000Z'

/** A database with a tenant in it, and a folder for its backups. */
async function place(): Promise<BackupPlan> {
  const path = join(folder.path, String(++places))
  const plan = { db: join(path, 'trunkline.db'), backup_dir: join(path, 'backups'), backup_every: 24, backup_keep: 2 }
  const storage = openStorage(plan.db, { clock: manualClock(), create: true })
  await insert(storage.records, 'tenants')
  await storage.close()
  return plan
}

/** The number of a process that has ended. */
const endedPid = (): number => spawnSync(process.execPath, ['--version']).pid

const COMMAND_LINE = [process.execPath, 'dist/bin/trunkline.js']

interface Tried {
  readonly outcome: string
  readonly logged: string
}

/** Has the daemon look for a backup to make, at a moment and by a command line. */
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

  it('leave nothing when the daemon is stopped in the middle, and that is no failure to tell', async () => {
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

  it('take away what a killed process left of a backup, but not what a running one makes', async () => {
    const plan = await place()
    mkdirSync(plan.backup_dir)
    const ended = `trunkline-2020-01-01T00-00-00Z.db.part-${endedPid()}`
    const running = `trunkline-2020-01-02T00-00-00Z.db.part-${process.ppid}`
    for (const name of [ended, `${ended}-journal`, running]) writeFileSync(join(plan.backup_dir, name), 'half')
    assert.equal((await tried(plan, NOON)).outcome, 'made')
    assert.deepEqual(readdirSync(plan.backup_dir).sort(), [running, 'trunkline-2026-03-01T12-00-00Z.db'])
  })

  it('tell when the newest of them was begun', async () => {
    const plan = await place()
    assert.equal(lastBackupAt(plan.backup_dir), 0)
    await tried(plan, NOON)
    await tried(plan, NOON.replace('01T', '03T'))
    await tried(plan, NOON.replace('01T', '05T'), ['/no/such/program'])
    assert.equal(lastBackupAt(plan.backup_dir), Date.UTC(2026, 2, 3, 12) / 1000)
  })

  it('are made by the running daemon when it is told to', async () => {
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
  it('never takes the place of a file that has come there meanwhile', async () => {
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
    assert.throws(() => copyDatabase(beside, to), { code: 'conflict', message: `There is a file at ${to} already.` })
    db.close()
    assert.equal(readFileSync(to, 'utf8'), 'another')
    assert.deepEqual(readdirSync(join(plan.db, '..')).sort(), ['trunkline.db', 'trunkline.db.backup'])
  })
})

describe('a backup that is killed', { timeout: 60_000 }, () => {
  it('leaves a part, which the next one to that place takes away, with no part of a running process', async () => {
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

/** The environment in which a program is killed once it has linked, renamed or removed so many files. */
function killedAfter(steps: number): Record<string, string> {
  const code = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let left = ${steps}
    for (const name of ['linkSync', 'renameSync', 'rmSync']) {
      const real = fs[name]
      fs[name] = (...given) => {
        real(...given)
        if (--left === 0) process.kill(process.pid, 'SIGKILL')
      }
    }
    syncBuiltinESMExports()`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` }
}

describe('restoring', { timeout: 60_000 }, () => {
  it('brings back every record that was acknowledged before the backup began, under 50 writes a second', async () => {
    const { db } = await place()
    const storage = openStorage(db, { clock: manualClock() })
    const acknowledged: number[] = []
    let writing = true
    const writer = (async () => {
      for (; writing; await pause(20)) acknowledged.push((await insert(storage.records, 'cdrs')).id)
    })()
    await insert(storage.records, 'cdrs')
    while (acknowledged.length < 25) await nextTurn()
    const before = [...acknowledged]
    const backup = `${db}.backup`
    const made = await trunkline(db, 'db', 'backup', backup)
    assert.equal(made.code, 0, made.stderr)
    const during = acknowledged.length - before.length
    writing = false
    await writer
    await storage.close()
    assert.ok(during > 0, 'nothing was written meanwhile')
    const restored = await trunkline(db, 'db', 'restore', backup)
    assert.equal(restored.code, 0, restored.stderr)
    const again = openStorage(db, { clock: manualClock() })
    assert.deepEqual(await again.maintenance.check(), [])
    const ids = new Set(await idsOf(again.records, 'cdrs'))
    for (const id of before) assert.ok(ids.has(id), `call ${id} is lost`)
    await again.close()
  })

  it('brings back no session', async () => {
    const { db } = await place()
    const clock = manualClock()
    const [token, backup] = ['0'.repeat(64), `${db}.backup`]
    const storage = openStorage(db, { clock })
    const account = { name: 'A', email: 'a@example.com', role: 'admin' as const, passwordHash: '' }
    const { id } = await storage.accounts.create(account)
    await storage.sessions.open(token, { ...account, id }, clock.now(), clock.now())
    await storage.maintenance.backup(backup)
    await storage.sessions.endAll()
    await storage.close()
    restore(backup, db)
    const again = openStorage(db, { clock })
    assert.deepEqual([await again.sessions.find(token), await again.accounts.count()], [null, 1])
    await again.close()
  })

  it('is refused while the daemon runs, and done once it has stopped, with the former database kept', async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    const daemon = await startDaemon({ TRUNKLINE_DB: db })
    const refused = await trunkline(db, 'db', 'restore', backup)
    assert.equal(refused.code, 75)
    assert.match(refused.stderr, /is in use\.\nhint: .*stop trunklined/)
    assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200)
    await daemon.stop()
    const { code, stdout } = await trunkline(db, 'db', 'restore', backup)
    assert.equal(code, 0)
    const kept = /the former database is (\S+)/.exec(stdout)?.[1] ?? ''
    const accounts = (path: string): unknown => {
      const opened = new Sqlite(path, { readonly: true })
      const count = opened.prepare('SELECT count(*) FROM accounts').pluck().get()
      opened.close()
      return count
    }
    // The daemon made the first account after the backup.
    assert.deepEqual([accounts(kept), accounts(db)], [1, 0])
  })

  it('puts a backup over a damaged database, but not while that is in use', async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    const daemon = await startDaemon({ TRUNKLINE_DB: db })
    damage(db, 0)
    assert.match((await trunkline(db, 'db', 'restore', backup)).stderr, /is in use/)
    await daemon.stop('SIGKILL')
    const { code, stderr } = await trunkline(db, 'db', 'restore', backup)
    assert.equal(code, 0, stderr)
    verify(db)
    assert.equal((await trunkline(db, 'db', 'check')).stdout, 'ok\n')
  })

  it('leaves a whole database in its place, at whatever step it is killed', async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    let said = ''
    for (let step = 1; said === ''; step++) {
      const line = ['dist/bin/trunkline.js', '--db', db, 'db', 'restore', backup]
      const { stdout, stderr } = await run(process.execPath, line, { env: killedAfter(step) })
      assert.equal(stderr, '')
      verify(db)
      said = stdout
    }
    assert.match(said, /the former database is/)
    assert.deepEqual(
      readdirSync(join(db, '..')).filter(name => /before-restore.*-(wal|shm|journal)$/.test(name)),
      [],
    )
  })

  it("never takes another program's database away", async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    const foreign = `${db}.foreign`
    const other = new Sqlite(foreign)
    other.exec('CREATE TABLE things (id INTEGER)')
    other.close()
    const content = readFileSync(foreign)
    const { code, stderr } = await trunkline(foreign, 'db', 'restore', backup)
    assert.deepEqual([code, /is not a Trunkline database/.test(stderr)], [74, true])
    assert.ok(readFileSync(foreign).equals(content))
  })

  it('refuses a backup that is damaged, and leaves the database as it is', async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    damage(backup, 3)
    const { code, stderr } = await trunkline(db, 'db', 'restore', backup)
    assert.equal(code, 74)
    assert.match(stderr, /damaged/)
    verify(db)
  })
})
