/** Work in short steps, so that others get their turns in between. */
export type Steps<T> = Generator<undefined, T>

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
