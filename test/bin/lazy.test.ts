import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from '../../bin/lazy.ts'

test('what could not be loaded is loaded again when it is next wanted, and then no more', async () => {
  let loads = 0
  const load = once(async () => {
    loads++
    if (loads === 1) throw new Error('no descriptor was free')
    return loads
  })
  await assert.rejects(load(), /no descriptor/)
  assert.equal(await load(), 2)
  assert.equal(await load(), 2)
})
