import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../../../../adapters/sqlite/database/turns.ts'
import { merged } from '../../../../adapters/sqlite/records/merged.ts'

interface Item {
  readonly key: number
  readonly nth: number
}

const byKey = (a: Item, b: Item): number => a.key - b.key || a.nth - b.nth

/** This many items in sorted parts of that length. */
function partsOf(count: number, length: number): Item[][] {
  const items = Array.from({ length: count }, (_, nth): Item => ({ key: (nth * 7_919) % 1_009, nth }))
  return Array.from({ length: Math.ceil(count / length) }, (_, part) =>
    items.slice(part * length, (part + 1) * length).sort(byKey),
  )
}

test('parts in order become one in order, each item once, however many parts there are', async () => {
  for (const [count, length] of [
    [0, 1],
    [1, 1],
    [7, 3],
    [1_000, 1],
    [20_000, 4_000],
    [20_001, 4_000],
  ] as const) {
    const parts = partsOf(count, length)
    assert.deepEqual(await merged(parts, byKey, new Turns().begin()), parts.flat().sort(byKey))
  }
})

test('an empty part is not a part', async () => {
  assert.deepEqual(await merged([[], [{ key: 1, nth: 1 }], []], byKey, new Turns().begin()), [{ key: 1, nth: 1 }])
})

test('while many items are sorted, others get their turn regularly', async () => {
  const parts = partsOf(100_000, 4_000)
  let turns = 0
  let isDone = false
  const take = (): void => {
    turns++
    if (!isDone) setImmediate(take)
  }
  setImmediate(take)
  await merged(parts, byKey, new Turns().begin())
  isDone = true
  assert.ok(turns > 50, `${turns} turns`)
})
