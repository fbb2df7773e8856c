import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { World } from '../data/records.ts'

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
