import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { resourceNamed } from '../../../core/resources/all.ts'
import { idsOf, insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

export const indexingContract = contract('search indexing', ['indexing', 'records'])
const { behaviour } = indexingContract

const dids = resourceNamed('dids')
/** More than a storage is likely to scan without an index. */
const MANY = 1_200

behaviour('a search finds stored records, whether or not the indexes contain them yet', async given => {
  const { indexing, records } = given
  const { id: tenant_id } = await insert(records, 'tenants')
  const made = await Promise.all(
    Array.from({ length: MANY }, (_, n) =>
      insert(records, 'dids', { tenant_id, provider: n % 3 ? 'x' : `needle ${n}` }),
    ),
  )
  const expected = (): number[] => made.flatMap(({ id }, n) => (n % 3 ? [] : [id])).toSorted((a, b) => b - a)
  const search = (): Promise<number[]> => idsOf(records, 'dids', { search: 'NEEDLE' })
  assert.deepEqual(await search(), expected())
  const following = new AbortController()
  const followed = indexing.followWrites(following.signal, error => assert.fail(String(error)))
  for (let look = 0; look < 20; look++) {
    assert.deepEqual(await search(), expected())
    await pause(5)
  }
  const [first, second] = expected()
  await records.update(dids, Number(first), { provider: 'hay' })
  await records.remove(dids, Number(second), { cascade: false })
  assert.deepEqual(await search(), expected().slice(2))
  following.abort()
  await followed
  assert.deepEqual(await search(), expected().slice(2))
})

behaviour('following the writes ends with its signal', async ({ indexing }) => {
  const following = new AbortController()
  const followed = indexing.followWrites(following.signal, error => assert.fail(String(error)))
  following.abort()
  await followed
})
