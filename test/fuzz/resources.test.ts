import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Held, Kind } from './kind.ts'
import { meter } from './kinds/resources.ts'

const CALM: Held = { delayMs: 5, heapMiB: 40, openFiles: 30 }

/** What a round of ten inputs is found to have done that leaves this held, and so many rows more. */
async function found(held: Held, rows = 0): Promise<string[]> {
  let [isPlayed, asked] = [false, 0]
  const kind: Kind = {
    name: 'inputs',
    count: 10,
    rowsPerInput: 2,
    subject: {
      maxHeapMiB: 96,
      held: async () => (asked++ > 0 && isPlayed ? held : CALM),
      rows: () => (isPlayed ? 100 + rows : 100),
    },
    play: async () => {
      isPlayed = true
      return []
    },
  }
  return meter().play(kind, 1, 10)
}

describe('a round of the fuzzer', () => {
  it('that leaves nothing behind is in order', async () => {
    assert.deepEqual(await found(CALM, 20), [])
  })

  it('that leaves the event loop blocked, or memory, files or rows behind, is not, and says which', async () => {
    for (const [held, rows, says] of [
      [{ ...CALM, delayMs: 300 }, 0, /the loop was held for more than 250 ms$/],
      [{ ...CALM, heapMiB: 120 }, 0, /the heap is above 96 MiB$/],
      [CALM, 100, /more than 70 rows came$/],
    ] as const) {
      const [problem = '', ...others] = await found(held, rows)
      assert.match(problem, says)
      assert.deepEqual(others, [])
    }
  })

  it('that leaves files open has some seconds to close them', { timeout: 30_000 }, async () => {
    const [problem = ''] = await found({ ...CALM, openFiles: 100 })
    assert.match(problem, /more than 46 files are open$/)
  })
})
