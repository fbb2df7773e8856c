import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { manualClock } from '../../support/clock.ts'
import { runDaemon } from '../../support/daemon.ts'
import { startWorld } from '../../support/data/records.ts'
import { insert } from '../../support/data/rows.ts'
import { sqliteOf } from '../../support/data/stored.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { damage, trunkline } from '../../support/programs.ts'

const folder = temporaryFolder()
after(folder.remove)

const DAMAGED = 'The database file is damaged or is not an SQLite database.'

/** Files that are not a sound database of ours, and the report on each. */
const FILES: Readonly<Record<string, { make(path: string): void; error: RegExp; hint: RegExp }>> = {
  'a text file': {
    make: path => writeFileSync(path, 'id;name\n1;Acme\n'.repeat(1_000)),
    error: /damaged or is not an SQLite database/,
    hint: /^hint: trunkline .*db restore FILE$/m,
  },
  'an empty file': {
    make: path => writeFileSync(path, ''),
    error: /is empty, not a database/,
    hint: /trunkline init creates a new one\.\nhint: trunkline .*db restore FILE$/m,
  },
  "another program's database": {
    make: path => {
      const db = new Sqlite(path)
      db.exec('CREATE TABLE things (id INTEGER)')
      db.close()
    },
    error: /is not a Trunkline database/,
    hint: /name another file\.$/m,
  },
  'a damaged header': {
    make: path => {
      openStorage(path, { clock: manualClock(), create: true }).connection.close()
      damage(path, 0)
    },
    error: /damaged or is not an SQLite database/,
    hint: /^hint: trunkline .*db restore FILE$/m,
  },
}

describe('the programs refuse', { timeout: 60_000 }, () => {
  for (const [name, { make, error, hint }] of Object.entries(FILES))
    it(`${name} with 74, saying what to do`, async () => {
      const path = join(folder.path, `${name}.db`)
      make(path)
      for (const { code, stderr } of await Promise.all([
        runDaemon({ TRUNKLINE_DB: path, TRUNKLINE_PORT: '0' }),
        trunkline(path, 'tenant', 'list'),
      ])) {
        assert.equal(code, 74, stderr)
        assert.match(stderr, error)
        assert.match(stderr, hint)
      }
    })
})

describe('damage found while the daemon runs', { timeout: 30_000 }, () => {
  const path = join(folder.path, 'running.db')
  before(async () => {
    const storage = openStorage(path, { clock: manualClock(), create: true })
    await insert(storage.records, 'tenants')
    await Promise.all(Array.from({ length: 2_000 }, () => insert(storage.records, 'cdrs')))
    await storage.close()
  })

  it('is a clear error each time for damaged records, while the rest keeps working', async () => {
    const world = await startWorld({ db: path })
    const { db } = sqliteOf(world.service.trunkline.storage).connection
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.pragma('cache_size = 0')
    const root = db.prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE name = 'cdrs'`).pluck().get() ?? 0
    damage(path, root - 1, 1)
    db.pragma('shrink_memory')
    for (let n = 0; n < 3; n++) {
      for (const answer of [await world.get('/api/cdrs'), await world.send('POST', '/api/cdrs', world.body('cdrs'))]) {
        assert.equal(answer.status, 503)
        assert.deepEqual(answer.json, { message: DAMAGED })
      }
      assert.equal((await world.get('/healthz')).status, 200)
      assert.equal((await world.get('/api/queues')).status, 200)
    }
    assert.ok(world.service.logged.some(line => line.includes('SQLITE_CORRUPT')))
    await world.close()
    const { code, stdout } = await trunkline(path, 'db', 'check')
    assert.equal(code, 1)
    assert.match(stdout, /\S/)
    const listed = await trunkline(path, 'cdr', 'list')
    assert.equal(listed.code, 74)
    assert.match(listed.stderr, /damaged.*trunkline .*db restore FILE/s)
  })
})
