import { setImmediate as nextTurn } from 'node:timers/promises'

/** So many are put in their places at once. */
const STRETCH = 4_000

type Compare<T> = (a: T, b: T) => number

/** Parts that are each in order, as one; in many turns of the event loop, which a sort of a million holds for seconds. */
export async function merged<T extends object>(
  parts: readonly (readonly T[])[],
  compare: Compare<T>,
): Promise<readonly T[]> {
  let runs = parts
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2) longer.push(await mergedTwo(runs[i] ?? [], runs[i + 1] ?? [], compare))
    runs = longer
  }
  return runs[0] ?? []
}

async function mergedTwo<T extends object>(
  a: readonly T[],
  b: readonly T[],
  compare: Compare<T>,
): Promise<readonly T[]> {
  const all: T[] = []
  let [i, j] = [0, 0]
  for (;;) {
    const [first, second] = [a[i], b[j]]
    if (first === undefined) return [...all, ...b.slice(j)]
    if (second === undefined) return [...all, ...a.slice(i)]
    const isFirst = compare(first, second) <= 0
    all.push(isFirst ? first : second)
    if (isFirst) i++
    else j++
    if (all.length % STRETCH === 0) await nextTurn()
  }
}
