import { setImmediate as turn } from 'node:timers/promises'

/** Milliseconds that the steps may hold the event loop. */
const AT_MOST_MS = 2

/** Runs something long in steps, giving others a turn in between. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  let since = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - since < AT_MOST_MS) continue
    await turn()
    since = performance.now()
  }
}
