/** Runs a step of some work when its turn comes. Rejects with what the step throws, or when the work is cancelled. */
export type Turn = <T>(step: () => T) => Promise<T>

/** Milliseconds that steps run before the event loop serves others. */
const BUDGET_MS = 8
/** Work of up to so many steps precedes work of more: a short list does not wait for long ones. */
const LEVELS = [8, 64, Number.POSITIVE_INFINITY]
/** One step in this many comes from a lower level, so that short lists never starve long ones. */
const SHARE = 4

interface Level {
  readonly steps: number
  readonly waiting: (() => void)[]
}

/**
 * Shares the event loop: work on many records runs in steps of some milliseconds, a few of them in each turn of the
 * loop, in the order requested, short work first. However many lists are read at once, another request waits only for
 * these few steps.
 */
export class Turns {
  readonly #levels = LEVELS.map((steps): Level => ({ steps, waiting: [] }))
  #waiting = 0
  #steps = 0
  #since = 0

  /** Starts a piece of work, whose steps follow one another until the signal aborts. */
  begin(signal?: AbortSignal): Turn {
    let steps = 0
    return step =>
      new Promise((resolve, reject) => {
        const level = this.#levels.find(level => steps < level.steps)
        steps++
        level?.waiting.push(() => {
          try {
            signal?.throwIfAborted()
            resolve(step())
          } catch (error) {
            reject(error)
          }
        })
        this.#waiting++
        if (this.#waiting === 1) setImmediate(this.#begin)
      })
  }

  readonly #begin = (): void => {
    this.#since = performance.now()
    this.#next()
  }

  readonly #next = (): void => {
    this.#steps++
    const first = this.#levels.findLastIndex((_, level) => this.#steps % SHARE ** level === 0)
    const level =
      this.#levels.find(({ waiting }, index) => index >= first && waiting.length > 0) ??
      this.#levels.findLast(({ waiting }) => waiting.length > 0)
    this.#waiting--
    level?.waiting.shift()?.()
    if (this.#waiting === 0) return
    // What a step produces is sent before the next one, and counts.
    if (performance.now() - this.#since < BUDGET_MS) queueMicrotask(() => process.nextTick(this.#next))
    else setImmediate(this.#begin)
  }
}
