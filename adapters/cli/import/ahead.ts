/** The same items, each asked for while the one before is still being dealt with. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const source = items[Symbol.asyncIterator]()
  const ask = (): Promise<IteratorResult<T>> => awaitedLater(source.next())
  let next = ask()
  try {
    for (let item = await next; !item.done; item = await next) {
      next = ask()
      yield item.value
    }
  } finally {
    await source.return?.()
  }
}

/** The same promise. Whoever awaits it is told what went wrong; until then, that nobody waits for it is no fault. */
export function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
