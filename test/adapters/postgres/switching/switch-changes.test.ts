import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage } from '../../../../adapters/postgres/storage.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'
import { byteProxy } from '../../../support/postgres/byte-proxy.ts'
import { newDatabase } from '../../../support/postgres/databases.ts'

test('changes are followed though the database could not be reached at first, and count as all until then', async () => {
  const proxy = await byteProxy(await newDatabase())
  const storage = await openStorage(proxy.address, { clock: manualClock(), create: true })
  try {
    const { id } = await insert(storage.records, 'tenants')
    proxy.refuse()
    const changes = storage.switchChanges()
    await assert.rejects(changes.next(), { code: 'unavailable' })
    await assert.rejects(changes.next(), { code: 'unavailable' })
    proxy.admit()
    assert.deepEqual(await changes.next(), { records: 'all', calls: 'all' })
    await storage.records.update(resourceNamed('tenants'), id, { status: 'suspended' })
    assert.deepEqual((await changes.next()).records, new Set([id]))
  } finally {
    await storage.close()
    await proxy.close()
  }
})
