/** How long a turn of the event loop takes up requests, in milliseconds. */
const AT_MOST_MS = 1

/**
 * Takes up requests in their order, and leaves to the next turn of the event loop what would make this one long: with
 * many clients, a new connection would else wait for three long turns until it is accepted, read and answered. What is
 * urgent is taken up at once.
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
    // In a tick of its own, so that what the request leads to is done, and counts, before the next.
    if (!isLong()) queueMicrotask(() => process.nextTick(takeUp))
  }
  return request => {
    if (isUrgent(request)) return handle(request)
    if (since === null) beginTurn()
    if (waiting.length === 0 && !isLong()) handle(request)
    else waiting.push(request)
  }
}
