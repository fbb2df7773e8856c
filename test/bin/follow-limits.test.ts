import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { followLimits } from '../../bin/daemon/follow-limits.ts'
import type { Changed } from '../../core/ports/switching.ts'

const log = pino({ level: 'silent' })

test('all limits are checked first, then those of tenants with new calls, and again after a failure', async () => {
  const ending = new AbortController()
  const running = setInterval(() => {}, 1_000)
  const looks: Changed[] = []
  const outcomes = [new Error('no'), null, new Error('no'), null]
  const changed = [1, 2, 3, 4]
  const limits = {
    look: async (given: Changed) => {
      looks.push(given)
      const outcome = outcomes.shift()
      if (outcomes.length === 0) ending.abort()
      if (outcome) throw outcome
    },
  }
  const changes = {
    next: async () => ({ records: new Set([changed.shift() ?? 0]), calls: new Set([100 + changed.length]) }),
  }
  await followLimits(limits, changes, log, ending.signal)
  clearInterval(running)
  assert.deepEqual(looks, ['all', 'all', new Set([3, 101]), new Set([3, 101, 4, 100])])
})

test('all limits are checked again if the changes could not be read', async () => {
  const ending = new AbortController()
  const running = setInterval(() => {}, 1_000)
  const looks: Changed[] = []
  const limits = {
    look: async (given: Changed) => {
      looks.push(given)
      if (looks.length === 2) ending.abort()
    },
  }
  const outcomes = [new Set<number>(), null, new Set([1])]
  const changes = {
    next: async () => {
      const records = outcomes.shift()
      if (!records) throw new Error('no')
      return { records, calls: new Set<number>() }
    },
  }
  await followLimits(limits, changes, log, ending.signal)
  clearInterval(running)
  assert.deepEqual(looks, ['all', 'all'])
})
