import { codeOf } from './errors.ts'

interface Job<I, O> {
  readonly input: I
  resolve(output: O): void
  reject(error: unknown): void
}

/** Batches in flight; inputs that arrive meanwhile make the next batches larger. */
const AT_ONCE = 2
const LEAST = 10
const MOST = 500

/**
 * Answers many questions in one statement: those of one turn of the event loop, and those that arrive during another
 * batch.
 */
export class Gatherer<I, O> {
  readonly #run: (inputs: readonly I[]) => Promise<readonly O[]>
  readonly #waiting: Job<I, O>[] = []
  #isScheduled = false
  #running = 0

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
    if (this.#isScheduled || this.#running === AT_ONCE || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const share = this.#share()
      this.#running++
      void this.#answer(this.#waiting.splice(0, share)).finally(() => {
        this.#running--
        this.#schedule()
      })
      this.#schedule()
    })
  }

  /** What the free batches share; a small batch costs more than it gains. */
  #share(): number {
    const share = Math.ceil(this.#waiting.length / (AT_ONCE - this.#running))
    return Math.min(MOST, Math.max(LEAST, share))
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
