import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openDatabase } from '../../../../adapters/sqlite/database/database.ts'
import { Sqlite } from '../../../../adapters/sqlite/database/driver.ts'
import { APPLICATION_ID, migrations } from '../../../../adapters/sqlite/database/migrate.ts'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { idsOf, insert } from '../../../support/data/rows.ts'
import { temporaryFolder } from '../../../support/http/app.ts'

const clock = manualClock()
const folder = temporaryFolder()
after(folder.remove)

let files = 0
const newPath = (): string => join(folder.path, `${++files}.db`)
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

async function made(path = newPath()): Promise<string> {
  await openStorage(path, { clock, create: true }).close()
  return path
}

/** A database of another program. */
function foreign(pragmas: string): string {
  const path = newPath()
  const db = new Sqlite(path)
  db.exec(`CREATE TABLE things (id INTEGER); ${pragmas}`)
  db.close()
  return path
}

describe('a new database', () => {
  test('is created at its path, with missing folders', async () => {
    const path = join(folder.path, 'some', 'where', 'new.db')
    await made(path)
    assert.ok(existsSync(path))
    assert.equal(modeOf(join(folder.path, 'some', 'where')), '700')
  })

  test('leaves no draft beside it', async () => {
    const path = join(folder.path, 'alone', 'new.db')
    await made(path)
    assert.deepEqual(readdirSync(join(folder.path, 'alone')), ['new.db'])
  })

  test('is readable by its owner alone, and so is its log', () => {
    const path = newPath()
    const { db, close } = openDatabase(path, { create: true })
    db.exec('DELETE FROM heartbeat')
    db.exec(`INSERT INTO heartbeat VALUES (1, 'x')`)
    assert.deepEqual([modeOf(path), modeOf(`${path}-wal`), modeOf(`${path}-shm`)], ['600', '600', '600'])
    close()
  })

  test('is not created without permission', () => {
    assert.throws(() => openDatabase(newPath()), { code: 'not_found' })
  })
})

describe('an open database', () => {
  test('uses a write-ahead log, syncs every commit, enforces foreign keys and has our application id', async () => {
    const path = await made()
    for (const place of [path, ':memory:']) {
      const { db, close } = openDatabase(place)
      const pragma = (name: string): unknown => db.pragma(name, { simple: true })
      assert.equal(pragma('journal_mode'), place === path ? 'wal' : 'memory')
      assert.equal(pragma('synchronous'), 2)
      assert.equal(pragma('foreign_keys'), 1)
      assert.equal(pragma('application_id'), APPLICATION_ID)
      assert.equal(pragma('user_version'), migrations.length)
      close()
    }
  })

  test('syncs every commit also when it is opened again', async () => {
    const path = await made()
    for (let n = 0; n < 2; n++) {
      const { db, close } = openDatabase(path)
      assert.equal(db.pragma('synchronous', { simple: true }), 2)
      close()
    }
  })

  test('keeps what was stored, and leaves no log when it is closed', async () => {
    const path = newPath()
    const first = openStorage(path, { clock, create: true })
    const { id } = await insert(first.records, 'tenants')
    await first.close()
    assert.equal(existsSync(`${path}-wal`), false)
    const second = openStorage(path, { clock })
    assert.deepEqual(await idsOf(second.records, 'tenants'), [id])
    await second.close()
  })

  test('is closed only after the writes that wait', async () => {
    const path = newPath()
    const storage = openStorage(path, { clock, create: true })
    const writes = Array.from({ length: 1_200 }, () => insert(storage.records, 'tenants'))
    await storage.close()
    assert.equal((await Promise.all(writes)).length, 1_200)
    const again = openStorage(path, { clock })
    assert.equal((await idsOf(again.records, 'tenants')).length, 1_200)
    await again.close()
  })

  test('is closed to the group and to others if they could read it', async () => {
    const path = await made()
    chmodSync(path, 0o664)
    openDatabase(path).close()
    assert.equal(modeOf(path), '600')
  })
})

describe('a foreign file is refused and left unchanged', () => {
  const refused = (path: string, message: RegExp): void => {
    chmodSync(path, 0o644)
    const before = readFileSync(path)
    for (const options of [{}, { create: true, migrate: true }])
      assert.throws(() => openDatabase(path, options), { name: 'AppError', code: 'corrupt', message })
    assert.ok(readFileSync(path).equals(before))
    assert.equal(modeOf(path), '644')
  }

  test('a database of another program', () => {
    refused(foreign(''), /is not a Trunkline database/)
    refused(foreign('PRAGMA user_version = 1'), /is not a Trunkline database/)
    refused(foreign('PRAGMA application_id = 1'), /is not a Trunkline database/)
  })

  test('an empty file', () => {
    const path = newPath()
    writeFileSync(path, '')
    refused(path, /is empty, not a database/)
  })

  test('a file that is not a database', () => {
    const path = newPath()
    writeFileSync(path, 'id;name\n1;Acme\n'.repeat(1_000))
    refused(path, /damaged or is not an SQLite database/)
  })

  test('a database of a newer version', async () => {
    const path = await made()
    const db = new Sqlite(path)
    db.pragma(`user_version = ${migrations.length + 1}`)
    db.pragma('journal_mode = DELETE')
    db.close()
    refused(path, /was made by a newer Trunkline \(schema \d+; this one knows \d+\)/)
  })

  test('a folder', () => {
    const path = newPath()
    mkdirSync(path, { mode: 0o755 })
    assert.throws(() => openDatabase(path, { create: true }), { name: 'AppError' })
    assert.equal(modeOf(path), '755')
  })
})

describe('a schema that is behind', () => {
  test('is brought up to date when that is allowed, else refused with the command for it', () => {
    const path = newPath()
    const db = new Sqlite(path)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.close()
    assert.throws(() => openDatabase(path), { code: 'outdated', message: /older schema/ })
    const opened = openDatabase(path, { migrate: true })
    assert.equal(opened.db.pragma('user_version', { simple: true }), migrations.length)
    opened.close()
  })
})
