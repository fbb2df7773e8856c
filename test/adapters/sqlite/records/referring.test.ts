import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extensions } from '../../../../core/resources/extensions.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { replaceDeck } from '../../../support/cli/replace-deck.ts'
import { insert } from '../../../support/data/rows.ts'
import { sqliteOf } from '../../../support/data/stored.ts'
import { inWorld } from '../../../support/data/switch.ts'

test(
  'a record is widely referred to by 500 rows, those included that go with what goes with it',
  inWorld(async ({ storage }) => {
    const { records, connection } = sqliteOf(storage)
    const { id: tenant_id = 0 } = await insert(records, 'tenants', { slug: 'many' })
    const { id = 0 } = await insert(records, 'extensions', { tenant_id })
    const calls = (count: number) =>
      connection.db.exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO cdrs (tenant_id, extension_id, caller_number, destination_number, direction, disposition,
           duration_seconds, bill_seconds, cost, started_at, created_at, updated_at)
         SELECT ${tenant_id}, ${id}, '', '', '', '', 1, 1, 1, '', '', '' FROM n`,
      )
    calls(498)
    assert.equal(await records.isWidelyReferredTo(extensions, id), false)
    assert.equal(await records.isWidelyReferredTo(tenants, tenant_id), false, '498 calls and an extension')
    calls(2)
    assert.equal(await records.isWidelyReferredTo(extensions, id), true)
    assert.equal(await records.isWidelyReferredTo(tenants, tenant_id), true)

    const { id: other = 0 } = await insert(records, 'tenants', { slug: 'waiting' })
    await replaceDeck(
      storage,
      other,
      Array.from({ length: 500 }, (_, n) => [`${1000 + n}`, 1] as const),
      '2099-01-01T00:00:00.000000Z',
    )
    assert.equal(await records.isWidelyReferredTo(tenants, other), true, 'the rates of a deck that waits')
  }),
)
