import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { verify } from '../../../adapters/sqlite/database/copy-file.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { restore } from '../../../adapters/sqlite/database/restore.ts'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { manualClock } from '../../support/clock.ts'
import { startDaemon } from '../../support/daemon.ts'
import { backedUpDatabases } from '../../support/data/backups.ts'
import { idsOf, insert } from '../../support/data/rows.ts'
import { damage, run, trunkline } from '../../support/programs.ts'

const place = backedUpDatabases()

/** The environment in which a program is killed after it has linked, renamed or removed this many files. */
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
  it('restores every record acknowledged before the backup began, under 50 writes a second', async () => {
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
    const restored = await trunkline(db, 'db', 'restore', backup, '--yes')
    assert.equal(restored.code, 0, restored.stderr)
    const again = openStorage(db, { clock: manualClock() })
    assert.deepEqual(await again.maintenance.check(), [])
    const ids = new Set(await idsOf(again.records, 'cdrs'))
    for (const id of before) assert.ok(ids.has(id), `call ${id} is lost`)
    await again.close()
  })

  it('restores no session', async () => {
    const { db } = await place()
    const clock = manualClock()
    const [token, backup] = ['0'.repeat(64), `${db}.backup`]
    const storage = openStorage(db, { clock })
    const account = { name: 'A', email: 'a@example.com', role: 'admin' as const, passwordHash: '' }
    const { id } = await storage.accounts.create(account)
    await storage.sessions.open(token, { ...account, id }, { createdAt: clock.now(), expiresAt: clock.now() })
    await storage.maintenance.backup(backup)
    await storage.sessions.revoke('all')
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
    const refused = await trunkline(db, 'db', 'restore', backup, '--yes')
    assert.equal(refused.code, 75)
    assert.match(refused.stderr, /is in use\.\nhint: .*stop trunklined/)
    assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200)
    await daemon.stop()
    const { code, stdout } = await trunkline(db, 'db', 'restore', backup, '--yes')
    assert.equal(code, 0)
    const kept = /the old database is (\S+)/.exec(stdout)?.[1] ?? ''
    const accounts = (path: string): unknown => {
      const opened = new Sqlite(path, { readonly: true })
      const count = opened.prepare('SELECT count(*) FROM accounts').pluck().get()
      opened.close()
      return count
    }
    // The daemon created the first account after the backup.
    assert.deepEqual([accounts(kept), accounts(db)], [1, 0])
  })

  it('puts a backup over a damaged database, but not while that is in use', async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    const daemon = await startDaemon({ TRUNKLINE_DB: db })
    damage(db, 0)
    assert.match((await trunkline(db, 'db', 'restore', backup, '--yes')).stderr, /is in use/)
    await daemon.stop('SIGKILL')
    const { code, stderr } = await trunkline(db, 'db', 'restore', backup, '--yes')
    assert.equal(code, 0, stderr)
    verify(db)
    assert.equal((await trunkline(db, 'db', 'check')).stdout, 'ok\n')
  })

  it('leaves an intact database in place, whichever step it is killed at', async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    let said = ''
    for (let step = 1; said === ''; step++) {
      const line = ['dist/bin/trunkline.js', '--db', db, 'db', 'restore', backup, '--yes']
      const { stdout, stderr } = await run(process.execPath, line, { env: killedAfter(step) })
      assert.equal(stderr, '')
      verify(db)
      said = stdout
    }
    assert.match(said, /the old database is/)
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
    const { code, stderr } = await trunkline(foreign, 'db', 'restore', backup, '--yes')
    assert.deepEqual([code, /is not a Trunkline database/.test(stderr)], [74, true])
    assert.ok(readFileSync(foreign).equals(content))
  })

  it('refuses a backup that is damaged, and leaves the database as it is', async () => {
    const { db } = await place()
    const backup = `${db}.backup`
    assert.equal((await trunkline(db, 'db', 'backup', backup)).code, 0)
    damage(backup, 3)
    const { code, stderr } = await trunkline(db, 'db', 'restore', backup, '--yes')
    assert.equal(code, 74)
    assert.match(stderr, /damaged/)
    verify(db)
    const sheet = `${db}.csv`
    writeFileSync(sheet, 'id;name\n')
    assert.equal(
      (await trunkline(db, 'db', 'restore', sheet, '--yes')).stderr,
      `error: ${sheet} was not restored: The database file is damaged or is not an SQLite database.\n`,
    )
  })
})
