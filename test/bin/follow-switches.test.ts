import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { followSwitches } from '../../bin/daemon/follow-switches.ts'
import { AppError } from '../../core/errors.ts'
import type { Changed, SwitchChanges, SwitchFollower } from '../../core/ports/switching.ts'
import { NOTHING_CHANGED, together } from '../../core/switching/changes.ts'

const log = pino({ level: 'silent' })
const shown = (changed: Changed): unknown => (changed === 'all' ? 'all' : [...changed])

/** A switch that records its commands, and changes triggered by the test. */
function held() {
  const ending = new AbortController()
  // The wait between two checks does not keep a program running.
  const running = setInterval(() => {}, 1_000)
  let connect = (): void => {}
  let waiting: Changed = NOTHING_CHANGED
  let heard: (() => void) | null = null
  let outcome = (): Promise<void> => Promise.resolve()
  let isConnected = true
  const calls: unknown[] = []
  const follower: SwitchFollower = {
    kind: 'freeswitch',
    state: () => ({ isConnected, pending: [] }),
    run: (onDue, signal) => {
      connect = () => onDue('all')
      return new Promise(resolve => signal.addEventListener('abort', () => resolve()))
    },
    reconcile: changed => {
      calls.push(shown(changed))
      heard?.()
      return outcome()
    },
  }
  const changes: SwitchChanges = {
    next: async () => {
      const records = waiting
      waiting = NOTHING_CHANGED
      return { records, calls: NOTHING_CHANGED }
    },
  }
  const done = followSwitches([follower], changes, log, ending.signal)
  return {
    calls,
    connect: () => connect(),
    disconnect: () => {
      isConnected = false
    },
    change: (...ids: number[]) => {
      waiting = together(waiting, new Set(ids))
    },
    /** The outcome of each reconciliation from now on. */
    comesTo: (next: typeof outcome) => {
      outcome = next
    },
    /** Resolves after this many reconciliations. */
    reconciled: async (count: number) => {
      while (calls.length < count)
        await new Promise<void>(resolve => {
          heard = resolve
        })
    },
    end: () => {
      ending.abort()
      clearInterval(running)
      return done
    },
  }
}

test('a switch receives changes, and everything once it is reached', async () => {
  const { calls, change, connect, reconciled, end } = held()
  change(1, 2)
  await reconciled(1)
  connect()
  await reconciled(2)
  change(3)
  await reconciled(3)
  assert.deepEqual(calls, [[1, 2], 'all', [3]])
  await end()
})

test('changes while a switch is being updated are sent together', async () => {
  const { calls, change, comesTo, connect, reconciled, end } = held()
  let release = (): void => {}
  comesTo(
    () =>
      new Promise(resolve => {
        release = resolve
      }),
  )
  change(1)
  await reconciled(1)
  connect()
  change(2)
  comesTo(() => Promise.resolve())
  release()
  await reconciled(2)
  assert.deepEqual(calls.slice(0, 2), [[1], 'all'])
  await end()
})

test('a change is sent again if it failed, as when the database could not be reached', async () => {
  const { calls, change, comesTo, reconciled, end } = held()
  comesTo(() => Promise.reject(new AppError('unavailable', 'The database cannot be reached.')))
  change(1)
  await reconciled(1)
  comesTo(() => Promise.reject(new Error('no')))
  await reconciled(2)
  comesTo(() => Promise.resolve())
  change(2)
  await reconciled(3)
  assert.deepEqual(calls, [[1], [1], [1, 2]])
  await end()
})

test('a change is not sent again while the switch is away', async () => {
  const { calls, change, comesTo, disconnect, reconciled, end } = held()
  disconnect()
  comesTo(() => Promise.reject(new AppError('unavailable', 'FreeSWITCH is not connected.')))
  change(1)
  await reconciled(1)
  comesTo(() => Promise.resolve())
  change(2)
  await reconciled(2)
  assert.deepEqual(calls, [[1], [2]])
  await end()
})

test('ends once the reconciliation that is under way has ended', async () => {
  const { change, comesTo, reconciled, end } = held()
  let release = (): void => {}
  comesTo(
    () =>
      new Promise(resolve => {
        release = resolve
      }),
  )
  change(1)
  await reconciled(1)
  let isOver = false
  const ended = end().then(() => {
    isOver = true
  })
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(isOver, false)
  release()
  await ended
})
