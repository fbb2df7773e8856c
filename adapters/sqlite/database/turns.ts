/** Runs a step of some work when its turn comes. Rejects with what the step throws, or when the work is called off. */
export type Turn = <T>(step: () => T) => Promise<T>

/** How long steps run before the event loop serves others. */
const BUDGET_MS = 8
/** What has taken so few steps goes before what has taken more: a short list does not wait for all the long ones. */
const LEVELS = [8, 64, Number.POSITIVE_INFINITY]
/** One step in this many is of a lower level, so that short lists never starve the long ones. */
const SHARE = 4

interface Level {
  readonly steps: number
  readonly waiting: (() => void)[]
}

/**
 * Shares the event loop: whatever works through many records does so in steps of some milliseconds, a few of which are
 * run in each turn of the loop, in the order in which they were asked for, those of short work first. However many
 * lists are read at once, another request waits no longer than for these few.
 */
export class Turns {
  readonly #levels = LEVELS.map((steps): Level => ({ steps, waiting: [] }))
  #waiting = 0
  #steps = 0
  #since = 0

  /** For one piece of work, whose steps follow on one another until the signal. */
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
    // What a step has brought is sent before the next, and counts.
    if (performance.now() - this.#since < BUDGET_MS) queueMicrotask(() => process.nextTick(this.#next))
    else setImmediate(this.#begin)
  }
}
