import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { didNumbers } from '../../../adapters/sqlite/switching/did-numbers.ts'
import { plainDialling } from '../../../core/dialling/read-number.ts'
import { manualClock } from '../../support/clock.ts'
import { insert } from '../../support/data/rows.ts'

test('numbers that cannot be read again cause an error on request, and are read the next time', async () => {
  const storage = openStorage(':memory:', { clock: manualClock(), create: true, migrate: true })
  const { id: tenant_id } = await insert(storage.records, 'tenants')
  const { id } = await insert(storage.records, 'dids', { tenant_id, number: '+380441234567' })
  let failing = 0
  const numbers = didNumbers(storage.connection, () => {
    if (failing-- > 0) throw new Error('the disk is away')
    return plainDialling('00')
  })
  const owner = { id, tenantId: tenant_id }
  assert.deepEqual(await numbers.find('380441234567'), owner)
  failing = 1
  numbers.changed(new Set([Number(tenant_id)]))
  assert.deepEqual(await numbers.find('380441234567'), owner)
  await new Promise(setImmediate)
  failing = 1
  await assert.rejects(numbers.find('380440000000'), /the disk is away/)
  assert.equal(await numbers.find('380440000000'), null)
  assert.deepEqual(await numbers.find('380441234567'), owner)
  await storage.close()
})
