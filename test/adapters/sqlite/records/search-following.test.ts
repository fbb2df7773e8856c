import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { idsOf, insert } from '../../../support/data/rows.ts'

test('a needle that contains the field separator is found nowhere', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  await insert(storage.records, 'tenants')
  await insert(storage.records, 'dids', { number: '38044', provider: 'acme' })
  for (const search of ['\x1f', '044\x1facm']) assert.deepEqual(await idsOf(storage.records, 'dids', { search }), [])
  await storage.close()
})

test('an index that is not behind is left alone', async () => {
  const commits: number[] = []
  const storage = openStorage(':memory:', { clock: manualClock(), onCommit: changes => commits.push(changes) })
  const following = new AbortController()
  const followed = storage.indexing.followWrites(following.signal, () => assert.fail())
  following.abort()
  await followed
  assert.deepEqual(commits, [])
  await storage.close()
})

test('errors in following are reported, and do not end it', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  storage.connection.db.exec('ALTER TABLE search_indexes RENAME TO elsewhere')
  const following = new AbortController()
  let followed = Promise.resolve()
  const failure = await new Promise(resolve => {
    followed = storage.indexing.followWrites(following.signal, resolve)
  })
  assert.match(String(failure), /no such table: search_indexes/)
  following.abort()
  await followed
  await storage.close()
})
