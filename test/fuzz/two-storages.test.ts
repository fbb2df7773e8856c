import assert from 'node:assert/strict'
import { test } from 'node:test'
import '../support/postgres/databases.ts'
import { compareStorages } from './two-storages.ts'

test('generated requests, valid and broken, get the same answers, byte for byte, on both storages', async () => {
  const { differences, statuses } = await compareStorages(3, 1500)
  assert.deepEqual(differences, [])
  for (const status of [200, 201, 400, 401, 403, 404, 409, 422]) assert.ok(statuses[status], `no ${status}`)
})
