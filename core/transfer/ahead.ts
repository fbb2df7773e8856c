/** The same items, each asked for while the one before is still being dealt with. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const source = items[Symbol.asyncIterator]()
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = source.next()
    // Whoever awaits it gets the error; until then, a rejection that nobody awaits is not an error.
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
