import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { Storage } from '../../../core/ports/storage.ts'
import type { World } from '../data/records.ts'
import { execute } from '../data/stored.ts'
import { BUCKETED } from '../storages.ts'

/** Counts the pages that lists take from the storage while the test runs; the list breaks off after so many. */
export async function countingPages(
  { service }: World,
  test: (pages: () => number) => Promise<void>,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { records } = service.trunkline.storage
  const list = records.list.bind(records)
  let pages = 0
  const counted = mock.method(records, 'list', async function* (...given: Parameters<typeof list>) {
    for await (const page of list(...given)) {
      if (++pages > most) throw new Error('the disk is gone')
      yield page
    }
  })
  try {
    await test(() => pages)
  } finally {
    counted.mock.restore()
  }
}

/** Asks for something else until the list has stood still for a good many turns. */
export async function untilStill(world: World, pages: () => number): Promise<void> {
  for (let seen = -1, still = 0; still < 100; still = pages() === seen ? still + 1 : 0) {
    seen = pages()
    assert.equal((await world.get('/api/admin/me')).status, 200)
  }
}

/** Wide records make a list larger than any socket buffer. */
const PADDING = 'x'.repeat(800)

/** Stores so many calls of the first tenant, every second one of the first extension. */
export const storeCalls = (storage: Storage, count: number): Promise<void> =>
  execute(
    storage,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO cdrs (${BUCKETED.columns}tenant_id, extension_id, caller_number, destination_number, direction, disposition,
       duration_seconds, bill_seconds, cost, started_at, ended_at, created_at, updated_at)
     SELECT ${BUCKETED.values}1, CASE i % 2 WHEN 1 THEN 1 END, '+38050' || i, '${PADDING}', 'outbound', 'ANSWERED', i % 100, i % 100, i,
       '2026-01-' || (10 + i * 7 % 19) || 'T' || (10 + i % 14) || ':00:00.000000Z', NULL, 'x', 'x' FROM n`,
  )
