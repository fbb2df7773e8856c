import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completed, rulesFrom } from '../../../../../adapters/cli/commands/calls/feed-rules.ts'

const feed = { timezone: 'Europe/Kyiv', contexts: { a: 'acme' }, tenant: 'acme', switchName: 'pbx-1' }

test('rules without an option are those of the feed, or the defaults if there is no feed', () => {
  assert.deepEqual(completed(rulesFrom({}), feed), feed)
  assert.deepEqual(completed(rulesFrom({})), { timezone: 'UTC', contexts: {}, tenant: null })
})

test('an option replaces only the same rule of the feed, and a context only the same context', () => {
  assert.deepEqual(completed(rulesFrom({ tenant: 'other' }), feed), { ...feed, tenant: 'other' })
  assert.deepEqual(completed(rulesFrom({ timezone: 'UTC', switch: 'pbx-2' }), feed), {
    ...feed,
    timezone: 'UTC',
    switchName: 'pbx-2',
  })
  assert.deepEqual(completed(rulesFrom({ context: ['a=b', 'x=y=z'] }), feed), {
    ...feed,
    contexts: { a: 'b', 'x=y': 'z' },
  })
})
