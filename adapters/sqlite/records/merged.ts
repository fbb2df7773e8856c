import type { Turn } from '../database/turns.ts'

/** Records merged at once. */
const STRETCH = 4_000

type Compare<T> = (a: T, b: T) => number

/**
 * Merges parts that are each in order, over many turns of the event loop, which sorting a million would hold for
 * seconds.
 */
export async function merged<T extends object>(
  parts: readonly (readonly T[])[],
  compare: Compare<T>,
  take: Turn,
): Promise<readonly T[]> {
  let runs = parts
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2)
      longer.push(await mergedTwo(runs[i] ?? [], runs[i + 1] ?? [], compare, take))
    runs = longer
  }
  return runs[0] ?? []
}

async function mergedTwo<T extends object>(
  a: readonly T[],
  b: readonly T[],
  compare: Compare<T>,
  take: Turn,
): Promise<readonly T[]> {
  const all: T[] = []
  let [i, j] = [0, 0]
  const step = (): boolean => {
    for (let n = 0; n < STRETCH; n++) {
      const [first, second] = [a[i], b[j]]
      const next = second === undefined || (first !== undefined && compare(first, second) <= 0) ? first : second
      if (next === undefined) return false
      all.push(next)
      if (next === first) i++
      else j++
    }
    return true
  }
  while (await take(step));
  return all
}
