import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { paced } from '../../../../adapters/http/clients/pacing.ts'

const hold = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Starts named requests, of which those with a `!` are urgent; each blocks the event loop for a while. */
function held(ms: number) {
  const taken: string[] = []
  const take = paced<string>(
    name => {
      taken.push(name)
      hold(ms)
    },
    name => name.endsWith('!'),
  )
  return { taken, take }
}

test('each turn of the event loop starts one long request, in order of arrival', async () => {
  const { taken, take } = held(2)
  for (const name of ['a', 'b', 'c']) take(name)
  assert.deepEqual(taken, ['a'])
  for (const expected of [
    ['a', 'b'],
    ['a', 'b', 'c'],
  ]) {
    await nextTurn()
    assert.deepEqual(taken, expected)
  }
  await nextTurn()
  take('d')
  assert.deepEqual(taken, ['a', 'b', 'c', 'd'])
})

test('an urgent request starts at once, whatever else waits', () => {
  const { taken, take } = held(2)
  for (const name of ['a', 'b', 'lookup!', 'c']) take(name)
  assert.deepEqual(taken, ['a', 'lookup!'])
})

test('requests start in order of arrival, however they arrive', async () => {
  const { taken, take } = held(0.3)
  const names = Array.from({ length: 20 }, (_, n) => String(n))
  for (const name of names) {
    take(name)
    if (Number(name) % 7 === 0) await nextTurn()
  }
  while (taken.length < names.length) await nextTurn()
  assert.deepEqual(taken, names)
})
