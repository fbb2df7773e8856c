import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callIndex } from '../../../core/switching/in-progress.ts'
import { liveCall } from '../../support/switching/directory.ts'

test('calls are found by tenant and counted by trunk, without the one that is being decided', () => {
  const index = callIndex([
    liveCall({ id: '1' }),
    liveCall({ id: '2', trunk: null }),
    liveCall({ id: '3', tenant: 'beta' }),
    liveCall({ id: '4', tenant: null }),
  ])
  const ids = (slug: string, without = ''): string[] =>
    index
      .except(without)
      .ofTenant(slug)
      .map(({ id }) => id)
  assert.deepEqual([ids('acme'), ids('beta'), ids('gamma'), ids('acme', '1')], [['1', '2'], ['3'], [], ['2']])
  assert.deepEqual([index.onTrunk('carrier-one'), index.onTrunk('two')], [3, 0])
  assert.deepEqual([index.except('1').onTrunk('carrier-one'), index.except('2').onTrunk('carrier-one')], [2, 3])
})

test('a call that has changed counts once, and one that has ended not at all', () => {
  const index = callIndex([liveCall({ id: '1' }), liveCall({ id: '2' })])
  index.set(liveCall({ id: '1', tenant: 'beta', trunk: 'two' }))
  index.delete('2')
  index.delete('3')
  assert.equal(index.size, 1)
  assert.deepEqual([index.ofTenant('acme').length, index.ofTenant('beta').length], [0, 1])
  assert.deepEqual([index.onTrunk('carrier-one'), index.onTrunk('two')], [0, 1])
})
