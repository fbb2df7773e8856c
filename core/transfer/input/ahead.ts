/** Yields the same items, requesting each while the previous one is being processed. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const source = items[Symbol.asyncIterator]()
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = source.next()
    // Whoever awaits it gets the error; until then, the rejection must not count as unhandled.
    asked.catch(() => undefined)
    return asked
  }
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
