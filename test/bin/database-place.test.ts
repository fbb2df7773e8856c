import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasePlace } from '../../bin/storage/database-place.ts'
import { AppError } from '../../core/errors.ts'

test('calls by month are refused on Citus, which spreads them by tenant', async () => {
  const db = 'citus://trunkline@127.0.0.1/trunkline'
  await assert.rejects(
    databasePlace({ db, db_password_file: null, cdr_partitions: 'month' }),
    (error: unknown) => error instanceof AppError && error.code === 'configuration',
  )
  await databasePlace({ db, db_password_file: null, cdr_partitions: 'off' })
})
