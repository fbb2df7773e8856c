import { setTimeout as pause } from 'node:timers/promises'
import type { Held, Kind, Subject } from '../kind.ts'

/** In processor time, which excludes a commit that waits for a disk. */
const MAX_DELAY_MS = 250
/** What caches and compiled code may add after the first round. */
const MAX_GROWTH_MIB = 64
/** Those of the threads for long work, which stay once they have been needed. */
const MORE_FILES = 16
const MORE_ROWS = 50
/** Abandoned connections are closed by then. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 50

const round = (number: number): number => Math.round(number * 10) / 10

/** What the subject holds once its files are closed, or when the time is over. */
async function rested(subject: Subject, files: number): Promise<Held> {
  const until = performance.now() + PATIENCE_MS
  let held = await subject.held()
  let { delayMs } = held
  while ((held.openFiles ?? 0) > files && performance.now() < until) {
    await pause(PAUSE_MS)
    held = await subject.held()
    delayMs = Math.max(delayMs, held.delayMs)
  }
  return { ...held, delayMs }
}

export interface Meter {
  /** Plays a round of a kind; returns what was wrong with its answers and its use of resources. */
  play(kind: Kind, seed: number, count: number): Promise<string[]>
  /** The last that was measured, a line. */
  last(): string
}

/** Compares each round with what the subject held after the first round of its kind. */
export function meter(): Meter {
  const before = new Map<Subject, Held>()
  const heaps = new Map<Kind, number>()
  let line = ''
  return {
    last: () => line,
    play: async (kind, seed, count) => {
      const { name, subject, rowsPerInput } = kind
      const first = before.get(subject) ?? (await subject.held())
      before.set(subject, first)
      const files = (first.openFiles ?? 0) + MORE_FILES
      const rowsBefore = subject.rows()
      const problems = await kind.play(seed, count)
      const { delayMs, heapMiB, openFiles } = await rested(subject, files)
      const rows = subject.rows() - rowsBefore
      const heap = Math.min(subject.maxHeapMiB, (heaps.get(kind) ?? heapMiB) + MAX_GROWTH_MIB)
      heaps.set(kind, heaps.get(kind) ?? heapMiB)
      line = `${count} ${name}: loop held ${round(delayMs)} ms, heap ${round(heapMiB)} MiB, ${openFiles} files, ${rows} rows more`
      const wrong: readonly (readonly [boolean, string])[] = [
        [delayMs > MAX_DELAY_MS, `the loop was held for more than ${MAX_DELAY_MS} ms`],
        [heapMiB > heap, `the heap is above ${round(heap)} MiB`],
        [(openFiles ?? 0) > files, `more than ${files} files are open`],
        [rows > count * rowsPerInput + MORE_ROWS, `more than ${count * rowsPerInput + MORE_ROWS} rows came`],
      ]
      return [...problems, ...wrong.flatMap(([isWrong, what]) => (isWrong ? [`seed ${seed}, ${line}: ${what}`] : []))]
    },
  }
}
