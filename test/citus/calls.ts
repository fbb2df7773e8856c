import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { raw } from '../../adapters/postgres/database/sql.ts'
import type { PostgresStorage } from '../../adapters/postgres/storage.ts'
import { AppError } from '../../core/errors.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { manualClock } from '../support/clock.ts'
import { insert } from '../support/data/rows.ts'
import { openEmpty } from '../support/postgres/databases.ts'

const BUCKETS = 4_096

let storage: PostgresStorage

before(async () => {
  storage = await openEmpty(manualClock())
})
after(() => storage.close())

const refusal = async (change: Promise<unknown>): Promise<AppError> => {
  const error = await change.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof AppError)
  return error
}

test('the id of a call carries the bucket of its tenant, and leads to one shard', async () => {
  const { records, database } = storage
  const tenants = [await insert(records, 'tenants'), await insert(records, 'tenants'), await insert(records, 'tenants')]
  for (const { id: tenant_id } of tenants) {
    const { id } = await insert(records, 'cdrs', { tenant_id })
    assert.equal(id % BUCKETS, tenant_id % BUCKETS)
    const plan = await database.values<string>(
      raw(`EXPLAIN SELECT * FROM cdrs t WHERE t.id = ${id} AND t.bucket = ${id % BUCKETS}`),
    )
    assert.match(plan.join('\n'), /Task Count: 1\b/)
  }
})

test('a call does not move to another tenant', async () => {
  const { records } = storage
  const [one, other] = [await insert(records, 'tenants'), await insert(records, 'tenants')]
  const call = await insert(records, 'cdrs', { tenant_id: one.id })
  const { code, message } = await refusal(records.update(resourceNamed('cdrs'), call.id, { tenant_id: other.id }))
  assert.deepEqual([code, message], ['invalid', 'The tenant id field of a stored CDR cannot change on this database.'])
  await records.update(resourceNamed('cdrs'), call.id, { tenant_id: one.id, caller_number: '102' })
})

test('calls stored while their tenant is removed keep it, or are refused: none is left without one', async () => {
  const { records, database } = storage
  for (let round = 0; round < 10; round++) {
    const { id: tenant_id } = await insert(records, 'tenants')
    await Promise.allSettled([
      ...Array.from({ length: 5 }, () => insert(records, 'cdrs', { tenant_id })),
      records.remove(resourceNamed('tenants'), tenant_id, { cascade: false }),
      ...Array.from({ length: 5 }, () => insert(records, 'cdrs', { tenant_id })),
    ])
    const calls = await database.value<number>(raw(`SELECT count(*) FROM cdrs WHERE tenant_id = ${tenant_id}`))
    const isThere = await database.value<boolean>(raw(`SELECT EXISTS (SELECT 1 FROM tenants WHERE id = ${tenant_id})`))
    assert.equal(calls === 0 || isThere, true)
  }
})

test('a dump is refused with what to do instead', async () => {
  const { code, details } = await refusal(storage.maintenance.backup('/tmp/never-written.dump'))
  assert.equal(code, 'configuration')
  assert.match(JSON.stringify(details), /citus_create_restore_point/)
})
