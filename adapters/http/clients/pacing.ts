/** Milliseconds that a turn of the event loop may start requests. */
const AT_MOST_MS = 1

/**
 * Starts requests in order, and leaves those that would make a turn of the event loop too long to the next one:
 * otherwise, with many clients, a new connection would wait three long turns to be accepted, read and answered. Starts
 * urgent requests at once.
 */
export function paced<R>(handle: (request: R) => void, isUrgent: (request: R) => boolean): (request: R) => void {
  const waiting: R[] = []
  let since: number | null = null
  const beginTurn = (): void => {
    since = performance.now()
    setImmediate(endTurn)
  }
  const endTurn = (): void => {
    since = null
    takeUp()
  }
  const isLong = (): boolean => since !== null && performance.now() - since >= AT_MOST_MS
  const takeUp = (): void => {
    if (waiting.length === 0) return
    if (since === null) beginTurn()
    for (const next of waiting.splice(0, 1)) handle(next)
    // In its own tick, so that what the request triggers is done, and counts, before the next.
    if (!isLong()) queueMicrotask(() => process.nextTick(takeUp))
  }
  return request => {
    if (isUrgent(request)) return handle(request)
    if (since === null) beginTurn()
    if (waiting.length === 0 && !isLong()) handle(request)
    else waiting.push(request)
  }
}
