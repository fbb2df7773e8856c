import { codeOf } from './errors.ts'

interface Job<I, O> {
  readonly input: I
  resolve(output: O): void
  reject(error: unknown): void
}

/** Batches in flight. */
const AT_ONCE = 2
const MOST = 500
/**
 * While a batch is in flight, another one starts only when this many wait, or when that batch has taken this long, as
 * one that waits for a lock does: a batch has costs of its own, and few large ones take half the time of many small.
 */
const ENOUGH = 40
const PATIENCE_MS = 20

/**
 * Answers many questions in one statement: those of one turn of the event loop, and those that arrive during another
 * batch.
 */
export class Gatherer<I, O> {
  readonly #run: (inputs: readonly I[]) => Promise<readonly O[]>
  readonly #waiting: Job<I, O>[] = []
  #isScheduled = false
  #running = 0
  /** Batches that have not taken long. */
  #quick = 0

  /** `run` returns outputs in the order of its inputs. If a batch fails because of its data, each input runs alone. */
  constructor(run: (inputs: readonly I[]) => Promise<readonly O[]>) {
    this.#run = run
  }

  ask(input: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#mayStart()) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#mayStart()) this.#start(this.#waiting.splice(0, MOST))
      this.#schedule()
    })
  }

  #mayStart(): boolean {
    const { length } = this.#waiting
    return length > 0 && this.#running < AT_ONCE && (this.#quick === 0 || length >= ENOUGH)
  }

  #start(jobs: readonly Job<I, O>[]): void {
    this.#running++
    this.#quick++
    let isQuick = true
    const isOverdue = (): void => {
      if (isQuick) this.#quick--
      isQuick = false
    }
    const patience = setTimeout(() => {
      isOverdue()
      this.#schedule()
    }, PATIENCE_MS)
    void this.#answer(jobs).finally(() => {
      clearTimeout(patience)
      isOverdue()
      this.#running--
      this.#schedule()
    })
  }

  async #answer(jobs: readonly Job<I, O>[]): Promise<void> {
    try {
      const outputs = await this.#run(jobs.map(({ input }) => input))
      jobs.forEach((job, index) => {
        const output = outputs[index]
        if (output === undefined) job.reject(new Error('A batch returned too little.'))
        else job.resolve(output)
      })
    } catch (error) {
      if (jobs.length > 1 && isOfData(error)) await Promise.all(jobs.map(job => this.#answer([job])))
      else for (const job of jobs) job.reject(error)
    }
  }
}

/** Did one of the inputs cause the error? */
const isOfData = (error: unknown): boolean => /^2[23]/.test(codeOf(error))
