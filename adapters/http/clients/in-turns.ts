import { setImmediate as turn } from 'node:timers/promises'

/** How long the steps may hold the event loop, in milliseconds. */
const AT_MOST_MS = 2

/** Takes the steps of something long, and lets others have their turn between them. */
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
