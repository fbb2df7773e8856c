import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import { manualClock } from '../../support/clock.ts'
import { insert } from '../../support/data/rows.ts'
import { temporaryFolder } from '../../support/http/app.ts'

const folder = temporaryFolder()
const path = join(folder.path, 't.db')
const clock = manualClock()
const ours = openStorage(path, { clock, create: true, migrate: true })
/** As another program opens it. */
const theirs = openStorage(path, { clock })
after(async () => {
  await theirs.close()
  await ours.close()
  folder.remove()
})

test('a change by another program is noticed', async () => {
  const { id } = await insert(ours.records, 'tenants')
  const changes = ours.switchChanges()
  await theirs.records.update(tenants, id, { status: 'suspended' })
  assert.deepEqual((await changes.next()).records, new Set([id]))
})

test('very many new records change all tenants', async () => {
  const { id } = await insert(ours.records, 'tenants')
  const { id: extension } = await insert(ours.records, 'extensions', { tenant_id: id })
  const changes = ours.switchChanges()
  theirs.connection.db.exec(`WITH RECURSIVE k(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM k WHERE i < 10001)
    INSERT INTO extensions SELECT NULL, ${id}, 'x' || i, 'X', NULL, 's', 'active', 0, created_at, updated_at
    FROM k, extensions WHERE extensions.id = ${extension}`)
  assert.equal((await changes.next()).records, 'all')
})

test('what is new is found without reading what is old', async () => {
  const storage = openStorage(':memory:', { clock })
  const { db } = storage.connection
  const prepare = mock.method(db, 'prepare')
  storage.switchChanges()
  const sought = prepare.mock.calls.map(call => String(call.arguments[0])).filter(sql => / id > \?/.test(sql))
  prepare.mock.restore()
  assert.equal(sought.length, 3)
  for (const sql of sought) {
    const plan = db.prepare<[number], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(0)
    assert.match(plan[0]?.detail ?? '', /USING INTEGER PRIMARY KEY \(rowid>\?\)/, sql)
  }
  await storage.close()
})
