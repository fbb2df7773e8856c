import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { raw, sql } from '../../../adapters/postgres/database/sql.ts'
import { serverFigures } from '../../../adapters/postgres/service/server-figures.ts'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { manualClock } from '../../support/clock.ts'
import { insert } from '../../support/data/rows.ts'
import { execute } from '../../support/data/stored.ts'
import { until } from '../../support/data/switch.ts'
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

test('the figures of the server include its connections, the longest wait for a lock and the size of the search indexes', () =>
  onServer(async ({ records, database, gauges, maintenance }) => {
    const { id } = await insert(records, 'tenants')
    const before = await gauges.server()
    assert.ok(before && before.connections >= 1 && before.connections < before.maxConnections)
    assert.ok(before.searchIndexBytes > 0)
    assert.deepEqual(
      [before.lockWaitSeconds, before.replicas, before.idleSlots, before.replicaLagBytes],
      [0, 0, [], null],
    )
    const waiting = await database.write(async within => {
      await within.run(sql`SELECT 1 FROM tenants WHERE id = ${id} FOR UPDATE`)
      const change = records.update(resourceNamed('tenants'), id, { name: 'x' })
      while (((await maintenance.statistics()).server?.lockWaitSeconds ?? 0) === 0) await pause(10)
      return { change }
    })
    await waiting.change
    assert.equal((await gauges.server())?.lockWaitSeconds, 0)
  }))

test('status shows the figures of the server, and an invalid index is fixed by a statement on the server', () =>
  onServer(async ({ database }, address) => {
    const { stdout } = await trunkline(address, 'status')
    assert.match(stdout, /^server {4}\d+ of \d+ connections, search index \d+\.\d MB$/m)
    await database.single.run(raw(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'cdrs_pkey'::regclass`))
    const doctor = await trunkline(address, 'doctor')
    assert.match(doctor.stdout, /the index cdrs_pkey is not valid/)
    assert.match(doctor.stdout, /psql '?postgres:.* -c 'REINDEX INDEX cdrs_pkey'/)
  }))

test('rows that were deleted and still take space are counted by table', () =>
  onServer(async storage => {
    await execute(
      storage,
      `INSERT INTO imports (resource, input, mark, updated_at)
      SELECT 'cdrs', i::text, '', '' FROM generate_series(1, 20000) i`,
    )
    await execute(storage, 'DELETE FROM imports')
    await until('the server has counted them', async () =>
      ((await storage.gauges.server())?.deadRows ?? []).some(({ table, dead, live }) => {
        assert.equal(table, 'imports')
        return dead === 20_000 && live === 0
      }),
    )
  }))

test('the size of an index built again is estimated within a factor of 2, so that one that has grown stands out', () =>
  onServer(async storage => {
    const { records, database } = storage
    await insert(records, 'tenants')
    await execute(
      storage,
      `INSERT INTO cdrs (tenant_id, caller_number, destination_number, direction, disposition, duration_seconds,
         bill_seconds, cost, started_at, created_at, updated_at)
       SELECT 1, '+3805' || (random() * 99999999)::bigint, '+4930' || (random() * 99999999)::bigint, 'outbound',
         'ANSWERED', 10, 10, 10, '2026-01-' || (10 + i % 19) || 'T10:00:00.000000Z', 'x', 'x'
       FROM generate_series(1, 30000) i`,
    )
    const ratios = async (): Promise<Map<string, number>> => {
      await database.single.run(raw('VACUUM (ANALYZE) cdrs'))
      const sizes = (await serverFigures(database, 500_000))?.largeIndexes ?? []
      return new Map(
        sizes.map(({ index, bytes, freshBytes }) => [index.replace(/_[0-9a-f]{8}$/, ''), bytes / freshBytes]),
      )
    }
    await database.single.run(raw('REINDEX TABLE cdrs'))
    const fresh = await ratios()
    assert.deepEqual([...fresh.keys()].sort(), ['cdrs_by_start', 'cdrs_by_tenant', 'cdrs_pkey', 'cdrs_search'])
    for (const [index, ratio] of fresh) assert.ok(ratio > 0.5 && ratio < 2, `${index}: ${ratio}`)
    await execute(storage, 'DELETE FROM cdrs WHERE id % 20 <> 0')
    for (const [index, ratio] of await ratios()) assert.ok(ratio > 8, `${index}: ${ratio}`)
  }))
