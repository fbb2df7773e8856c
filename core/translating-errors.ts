/** Wraps a port so that its errors are translated, whether from a call, its promise or its pages. */
export function translatingErrors<P extends object>(port: P, translate: (error: unknown) => unknown): P {
  const rethrow = (error: unknown): never => {
    throw translate(error)
  }
  async function* pagesOf(pages: AsyncIterable<unknown>): AsyncIterable<unknown> {
    try {
      yield* pages
    } catch (error) {
      rethrow(error)
    }
  }
  const wrapped = Object.entries(port).map(([name, method]) => {
    if (typeof method !== 'function') return [name, method]
    const translated = (...parameters: unknown[]): unknown => {
      try {
        const result: unknown = method(...parameters)
        if (result instanceof Promise) return result.catch(rethrow)
        return isAsyncIterable(result) ? pagesOf(result) : result
      } catch (error) {
        return rethrow(error)
      }
    }
    return [name, translated]
  })
  return Object.fromEntries(wrapped) as P
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
