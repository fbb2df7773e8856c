import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Database } from 'better-sqlite3'
import { openDatabase } from '../../../adapters/sqlite/database/database.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { migrate, migrations, schemaVersion } from '../../../adapters/sqlite/database/migrate.ts'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { bundled } from '../../support/bundled.ts'
import { startChild } from '../../support/child.ts'
import { manualClock } from '../../support/clock.ts'
import { listOf } from '../../support/data/rows.ts'
import { temporaryFolder } from '../../support/http/app.ts'

const CHILD = new URL('migration-child.ts', import.meta.url)
const NOW = '2026-03-01T12:00:00.000000Z'

const folder = temporaryFolder()
after(folder.remove)
let files = 0

/** Rows of the first schema, which every later schema must keep. */
const ROWS = {
  tenants: `(id, name, slug, domain, status, timezone, max_extensions, settings, created_at, updated_at) VALUES
    (7, 'École', 'ecole', 'e.example.com', 'active', 'Europe/Kyiv', 10, '{"n":12345678901234567890}', '${NOW}', '${NOW}')`,
  extensions: `(id, tenant_id, extension_number, display_name, email, secret, status, voicemail_enabled, created_at, updated_at)
    VALUES (3, 7, '101', 'Desk', NULL, ' s3cret ', 'active', 1, '${NOW}', '${NOW}')`,
  rates: `(id, tenant_id, prefix, destination, cost_per_minute, billing_increment, status, created_at, updated_at) VALUES
    (5, 7, '380', 'Ukraine', 123, 60, 'active', '${NOW}', '${NOW}')`,
  cdrs: `(id, tenant_id, extension_id, caller_number, destination_number, direction, disposition, duration_seconds,
    bill_seconds, cost, started_at, ended_at, created_at, updated_at) VALUES
    (9, 7, 3, '101', '+380441234567', 'outbound', 'ANSWERED', 61, 120, 246, '${NOW}', NULL, '${NOW}', '${NOW}')`,
  accounts: `(id, name, email, role, password_hash, disabled, created_at, updated_at) VALUES
    (1, 'Admin', 'admin@example.com', 'admin', 'x', 0, '${NOW}', '${NOW}')`,
  parked_receipts: `(id, sms_gateway_id, external_message_id, status, payload, received_at) VALUES
    (1, 4, 'gw-1', 'DELIVRD', '{}', '${NOW}')`,
}

/** A database as the first migrations created it, up to this number, with rows in it. */
function databaseOf(schema: number): string {
  const path = join(folder.path, `${++files}.db`)
  const db = new Sqlite(path)
  db.pragma('journal_mode = WAL')
  migrate(db, migrations.slice(0, schema))
  for (const [table, row] of Object.entries(ROWS)) db.exec(`INSERT INTO ${table} ${row}`)
  db.close()
  return path
}

function looking<T>(path: string, look: (db: Database) => T): T {
  const db = new Sqlite(path, { readonly: true })
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/** The rows by their original columns: later columns belong to the migrations. */
const dump = (db: Database): unknown[] =>
  Object.entries(ROWS).map(([table, row]) => {
    const [columns = ''] = /\(([^)]*)\)/.exec(row)?.slice(1) ?? []
    return db.prepare(`SELECT ${columns} FROM ${table}`).all()
  })

describe('a start on an older database', () => {
  for (let schema = 1; schema < migrations.length; schema++)
    it(`of schema ${schema} keeps every row, and a copy of the old database`, async () => {
      const path = databaseOf(schema)
      const before = looking(path, dump)
      const upgrades: unknown[] = []
      const storage = openStorage(path, {
        clock: manualClock(),
        migrate: true,
        onUpgrade: upgrade => upgrades.push(upgrade),
      })
      const copy = `${path}.schema-${schema}.backup`
      assert.deepEqual(upgrades, [{ schema, copy }])
      assert.deepEqual(dump(storage.connection.db), before)
      const [tenant] = await listOf(storage.records, 'tenants', { search: 'éco' })
      assert.deepEqual([tenant?.id, String(tenant?.name)], [7, 'École'])
      assert.deepEqual(await storage.maintenance.check(), [])
      await storage.close()
      assert.equal(looking(path, schemaVersion), migrations.length)
      assert.equal((statSync(copy).mode & 0o777).toString(8), '600')
      assert.equal(looking(copy, schemaVersion), schema)
      assert.deepEqual(looking(copy, dump), before)
    })

  it('changes nothing when the copy cannot be made', () => {
    const path = databaseOf(1)
    const db = new Sqlite(path)
    db.pragma('foreign_keys = OFF')
    db.exec('DELETE FROM tenants')
    db.close()
    assert.throws(() => openDatabase(path, { migrate: true }), {
      code: 'corrupt',
      message: `${path} is damaged: cdrs 9 refers to a record of tenants that is not there.`,
    })
    assert.equal(looking(path, schemaVersion), 1)
    assert.equal(existsSync(`${path}.schema-1.backup`), false)
  })

  it('makes no copy of a new or up-to-date database', () => {
    const path = databaseOf(migrations.length)
    openDatabase(path, { migrate: true }).close()
    assert.equal(existsSync(`${path}.schema-${migrations.length}.backup`), false)
    const fresh = join(folder.path, 'fresh.db')
    openDatabase(fresh, { create: true, migrate: true }).close()
    assert.equal(existsSync(`${fresh}.schema-0.backup`), false)
  })
})

describe('a migration that is killed half way', { timeout: 30_000 }, () => {
  it('leaves the old database, which the next start brings up to date', async () => {
    const path = databaseOf(1)
    const before = looking(path, dump)
    const child = startChild(await bundled(CHILD), [path])
    await assert.rejects(child.ended(), /SIGKILL/)
    assert.deepEqual(child.lines, [])
    assert.ok(statSync(`${path}-wal`).size > 1_000_000, 'it was killed before it had written anything')
    assert.equal(looking(path, schemaVersion), 1)
    assert.deepEqual(looking(path, dump), before)
    const { db, close } = openDatabase(path, { migrate: true })
    assert.equal(schemaVersion(db), migrations.length)
    assert.deepEqual(dump(db), before)
    close()
    assert.deepEqual(looking(`${path}.schema-1.backup`, dump), before)
  })
})
