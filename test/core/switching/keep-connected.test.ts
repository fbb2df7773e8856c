import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError, type ErrorCode } from '../../../core/errors.ts'
import { keepConnected } from '../../../core/switching/keep-connected.ts'

/** Plays these attempts: each has a connection that ends well, or fails with an error. Returns reports and pauses. */
async function played(attempts: readonly (null | readonly [ErrorCode, string])[]) {
  const stopping = new AbortController()
  const [reported, pauses]: [string[], number[]] = [[], []]
  const left = [...attempts]
  const use = async (): Promise<void> => {
    const failed = left.shift()
    if (failed) throw new AppError(...failed)
  }
  const keeping = {
    onTrouble: (error: unknown) => reported.push(error instanceof AppError ? error.message : ''),
    pause: async (ms: number) => {
      pauses.push(ms)
      if (left.length === 0) stopping.abort()
    },
  }
  await keepConnected(use, keeping, stopping.signal)
  return { reported, pauses }
}

describe('the connection to a switch', () => {
  test('is tried again within a second, however long the switch is away', async () => {
    const { pauses } = await played([...Array(100).fill(['unavailable', 'It is away.']), null])
    assert.equal(pauses.length, 101)
    assert.ok(Math.max(...pauses) < 1_000)
  })

  test('is not tried again so soon with a password that is refused', async () => {
    assert.deepEqual((await played([['forbidden', 'It refuses the password.']])).pauses, [10_000])
  })

  test('reports an error that repeats once, and again after a connection that ended well', async () => {
    const [away, strange] = [['unavailable', 'It is away.'] as const, ['unavailable', 'It is strange.'] as const]
    assert.deepEqual((await played([away, away, strange, strange, null, strange])).reported, [
      'It is away.',
      'It is strange.',
      'It is strange.',
    ])
  })
})
