import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { type Peer, peer } from '../../../adapters/threads/peer.ts'
import { AppError } from '../../../core/errors.ts'

type Theirs = {
  double(value: number): number
  twice(value: number): Promise<number>
  refuse(): never
  fail(): never
  failAsDriver(): never
  never(): Promise<void>
}

/** Two sides: the first calls the second, which calls back. */
function sides(): { here: Peer<Theirs>; close(): void } {
  const { port1, port2 } = new MessageChannel()
  const here = peer<Theirs>(port1, { asked: (value: number) => value * 2 })
  const theirs: Theirs = {
    double: value => value * 2,
    twice: value => there.call('asked', value),
    refuse: () => {
      throw new AppError('storage_full', 'The disk is full.', { hint: 'free some space' })
    },
    fail: () => {
      throw new TypeError('a bug')
    },
    failAsDriver: () => {
      throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
    },
    never: () => new Promise(() => undefined),
  }
  const there = peer<{ asked(value: number): number }>(port2, theirs)
  return {
    here,
    close: () => {
      port1.close()
      port2.close()
    },
  }
}

const between =
  (run: (here: Peer<Theirs>) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const { here, close } = sides()
    try {
      await run(here)
    } finally {
      close()
    }
  }

describe('a call to another thread', () => {
  it(
    'returns what the method returns, many at once and each its own',
    between(async ({ call }) => {
      assert.deepEqual(await Promise.all([call('double', 1), call('double', 2), call('twice', 3)]), [2, 4, 6])
    }),
  )

  it(
    'fails with the same error of ours, code and hint included',
    between(async ({ call }) => {
      await assert.rejects(call('refuse'), (error: unknown) => {
        assert.ok(error instanceof AppError)
        assert.deepEqual(
          [error.code, error.message, error.details.hint],
          ['storage_full', 'The disk is full.', 'free some space'],
        )
        return true
      })
    }),
  )

  it(
    'fails with any other error as it was',
    between(async ({ call }) => {
      await assert.rejects(call('fail'), { name: 'TypeError', message: 'a bug' })
    }),
  )

  it(
    'fails with an Error that keeps its code, even if the driver threw a class of its own',
    between(async ({ call }) => {
      await assert.rejects(call('failAsDriver'), (error: unknown) => {
        assert.ok(error instanceof Error && 'code' in error)
        assert.deepEqual([error.message, error.code], ['database or disk is full', 'SQLITE_FULL'])
        return true
      })
    }),
  )

  it(
    'fails when the other side is gone, and so does each one after it',
    between(async ({ call, end }) => {
      const waiting = call('never')
      end(new Error('gone'))
      await assert.rejects(waiting, /gone/)
      await assert.rejects(call('double', 1), /gone/)
    }),
  )
})
