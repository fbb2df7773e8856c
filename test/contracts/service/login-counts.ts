import assert from 'node:assert/strict'
import { contract } from '../contract.ts'

export const loginCountsContract = contract('counts of logins', ['loginCounts'])
const { behaviour } = loginCountsContract

const MINUTE = 60

behaviour('each key is counted by itself, all at once too, and says how long its count lasts', async given => {
  const { loginCounts } = given
  const all = await Promise.all(Array.from({ length: 10 }, () => loginCounts.add(['a', 'b'], MINUTE)))
  const counts = all.map(([a, b]) => [a?.count, b?.count])
  assert.deepEqual(
    counts.toSorted(([a = 0], [b = 0]) => a - b),
    Array.from({ length: 10 }, (_, n) => [n + 1, n + 1]),
  )
  const [a, c] = await loginCounts.add(['a', 'c'], MINUTE)
  assert.deepEqual([a?.count, c?.count], [11, 1])
  for (const { secondsLeft } of [a, c].flatMap(each => each ?? [])) assert.ok(secondsLeft > 50 && secondsLeft <= MINUTE)
})

behaviour('a count can be taken back and cleared', async ({ loginCounts }) => {
  const next = async (key: string) => (await loginCounts.add([key], MINUTE))[0]?.count
  for (const expected of [1, 2, 3]) assert.equal(await next('a'), expected)
  await loginCounts.takeBack(['a', 'b'])
  assert.equal(await next('a'), 3)
  await loginCounts.clear('a')
  assert.equal(await next('a'), 1)
})

behaviour('a count ends with its time', async ({ loginCounts }) => {
  await loginCounts.add(['a'], MINUTE)
  await loginCounts.add(['b'], 0.001)
  while ((await loginCounts.add(['b'], 0.001))[0]?.count !== 1) await loginCounts.forgetExpired()
  assert.equal((await loginCounts.add(['a'], MINUTE))[0]?.count, 2)
})
