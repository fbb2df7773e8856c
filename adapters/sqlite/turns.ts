/** Runs a step of some work when its turn comes. Rejects with what the step throws. */
export type Turn = <T>(step: () => T) => Promise<T>

/** Steps are run for so long before others have their turn of the event loop. */
const BUDGET_MS = 8
/** The first steps of each work go before the others: a short list does not wait for all the long ones. */
const EARLY_STEPS = 10
/** Of so many steps one is of the others, so that short lists never keep the long ones from going on. */
const SHARE = 4

/**
 * Shares the event loop: whatever works through many records does so in steps of some milliseconds, which are run in
 * the order in which they were asked for, a few in each turn of the loop. However many lists are read at once, another
 * request waits no longer than that.
 */
export class Turns {
  readonly #early: (() => void)[] = []
  readonly #late: (() => void)[] = []
  #steps = 0
  #since = 0

  /** For one piece of work, whose steps follow on one another. */
  begin(): Turn {
    let steps = 0
    return step =>
      new Promise((resolve, reject) => {
        const queue = steps++ < EARLY_STEPS ? this.#early : this.#late
        queue.push(() => {
          try {
            resolve(step())
          } catch (error) {
            reject(error)
          }
        })
        if (this.#waiting === 1) setImmediate(this.#begin)
      })
  }

  get #waiting(): number {
    return this.#early.length + this.#late.length
  }

  readonly #begin = (): void => {
    this.#since = performance.now()
    this.#next()
  }

  readonly #next = (): void => {
    const [first, second] = ++this.#steps % SHARE === 0 ? [this.#late, this.#early] : [this.#early, this.#late]
    const step = first.shift() ?? second.shift()
    step?.()
    if (this.#waiting === 0) return
    // What a step has brought is sent before the next, and counts.
    if (performance.now() - this.#since < BUDGET_MS) queueMicrotask(() => process.nextTick(this.#next))
    else setImmediate(this.#begin)
  }
}
