import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { raw, sql } from '../../../adapters/postgres/database/sql.ts'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { manualClock } from '../../support/clock.ts'
import { insert } from '../../support/data/rows.ts'
import { newDatabase } from '../../support/postgres/databases.ts'
import { trunkline } from '../../support/programs.ts'

async function onServer(check: (storage: PostgresStorage, address: string) => Promise<void>): Promise<void> {
  const address = await newDatabase()
  const storage = await openStorage(address, { clock: manualClock(), create: true })
  try {
    await check(storage, address)
  } finally {
    await storage.close()
  }
}

test('the server tells its connections, the longest wait for a lock and the size of the search indexes', () =>
  onServer(async ({ records, database, gauges, maintenance }) => {
    const { id } = await insert(records, 'tenants')
    const before = await gauges.server()
    assert.ok(before && before.connections >= 1 && before.connections < before.maxConnections)
    assert.ok(before.searchIndexBytes > 0)
    assert.deepEqual([before.lockWaitSeconds, before.replicaLagBytes], [0, null])
    const waiting = await database.write(async within => {
      await within.run(sql`SELECT 1 FROM tenants WHERE id = ${id} FOR UPDATE`)
      const change = records.update(resourceNamed('tenants'), id, { name: 'x' })
      while (((await maintenance.statistics()).server?.lockWaitSeconds ?? 0) === 0) await pause(10)
      return { change }
    })
    await waiting.change
    assert.equal((await gauges.server())?.lockWaitSeconds, 0)
  }))

test('status shows how the server fares, and an invalid index is fixed by a statement on the server', () =>
  onServer(async ({ database }, address) => {
    const { stdout } = await trunkline(address, 'status')
    assert.match(stdout, /^server {4}\d+ of \d+ connections, search index \d+\.\d MB$/m)
    await database.single.run(raw(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'cdrs_pkey'::regclass`))
    const doctor = await trunkline(address, 'doctor')
    assert.match(doctor.stdout, /the index cdrs_pkey is not valid/)
    assert.match(doctor.stdout, /psql '?postgres:.* -c 'REINDEX INDEX cdrs_pkey'/)
  }))
