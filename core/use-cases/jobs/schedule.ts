import type { Timestamp } from '../../dates.ts'
import { isOver, type Job } from '../../jobs/job.ts'
import type { JobEnd, JobRunner, JobStore, JobWatcher } from '../../ports/jobs.ts'
import type { Clock } from '../../ports/system.ts'

/** Jobs that run at the same time. */
const AT_ONCE = 2

export interface SchedulePorts {
  readonly store: JobStore
  readonly runner: JobRunner
  readonly clock: Clock
  /** Called with an error of a job that its input did not cause. */
  readonly onTrouble: (error: unknown) => void
}

interface Running {
  readonly abort: AbortController
  readonly done: Promise<void>
}

/** All jobs; starts those that wait as soon as there is room. */
export class Schedule {
  readonly #ports: SchedulePorts
  readonly #onEnd: (job: Job) => Promise<void>
  readonly #all = new Map<number, Job>()
  readonly #running = new Map<number, Running>()
  readonly #resumed = new Set<number>()
  #isClosing = false

  /** `onEnd` is called with each job that has ended. */
  constructor(ports: SchedulePorts, onEnd: (job: Job) => Promise<void>) {
    this.#ports = ports
    this.#onEnd = onEnd
  }

  /** Takes over the jobs of an earlier process: waiting ones wait again, running ones count as interrupted. */
  async takeUp(jobs: readonly Job[]): Promise<void> {
    const { clock } = this.#ports
    for (const job of jobs)
      if (job.state !== 'running') this.#all.set(job.id, job)
      else
        await this.save({
          ...job,
          state: 'interrupted',
          endedAt: clock.now(),
          failure: 'The service ended while it ran.',
        })
    this.#startNext()
  }

  get all(): readonly Job[] {
    return [...this.#all.values()]
  }

  find(id: number): Job | undefined {
    return this.#all.get(id)
  }

  async save(job: Job): Promise<void> {
    this.#all.set(job.id, job)
    await this.#ports.store.saveJob(job)
  }

  /** Adds a new job, or a stopped one that continues. */
  async add(job: Job, isResumed = false): Promise<void> {
    if (isResumed) this.#resumed.add(job.id)
    await this.save({ ...job, state: 'waiting', endedAt: null, failure: null })
    this.#startNext()
  }

  /** Resolves once it is over. */
  async stop(job: Job): Promise<void> {
    const running = this.#running.get(job.id)
    running?.abort.abort()
    if (running) await running.done
    else if (!isOver(job))
      await this.save({ ...job, state: 'stopped', endedAt: this.#ports.clock.now(), failure: 'Stopped.' })
  }

  async forget(id: number): Promise<void> {
    this.#all.delete(id)
    await this.#ports.store.removeJob(id)
  }

  /** Interrupts the running jobs, and starts no more. */
  async close(): Promise<void> {
    this.#isClosing = true
    for (const { abort } of this.#running.values()) abort.abort()
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  #startNext(): void {
    for (const job of this.#all.values()) {
      if (this.#isClosing || this.#running.size >= AT_ONCE) return
      if (job.state === 'waiting' && !this.#running.has(job.id)) this.#start(job)
    }
  }

  #start(job: Job): void {
    const abort = new AbortController()
    const done = this.#run(job, abort.signal)
      .catch(this.#ports.onTrouble)
      .finally(() => {
        this.#running.delete(job.id)
        this.#startNext()
      })
    this.#running.set(job.id, { abort, done })
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const { runner, clock } = this.#ports
    const isResumed = this.#resumed.delete(job.id)
    const started = { ...job, state: 'running' as const, startedAt: clock.now() }
    await this.save(started)
    const end = await runner.run(started, isResumed, this.#watching(job.id), signal).catch((error: unknown): JobEnd => {
      this.#ports.onTrouble(error)
      return { state: 'failed', failure: 'Something went wrong that the log of the service tells.', stored: 0 }
    })
    const reached = this.#all.get(job.id)
    if (!reached) return
    const over = ended(reached, end, clock.now(), this.#isClosing)
    await this.#onEnd(over)
    await this.save(over)
  }

  #watching(id: number): JobWatcher {
    return {
      at: progress => {
        const job = this.#all.get(id)
        if (job) this.#all.set(id, { ...job, progress })
      },
      began: async before => {
        const job = this.#all.get(id)
        if (job?.kind === 'import') await this.save({ ...job, began: before })
      },
    }
  }
}

function ended(job: Job, end: JobEnd, endedAt: Timestamp, isClosing: boolean): Job {
  if (end.state === 'done') {
    const over = { ...job, state: end.state, endedAt, progress: end.progress, failure: null }
    if (over.kind === 'export') return { ...over, bytes: end.progress.bytes }
    return { ...over, outcome: end.outcome }
  }
  const { failure, stored } = end
  const state = isClosing && end.state === 'stopped' ? 'interrupted' : end.state
  return job.kind === 'export'
    ? { ...job, state, endedAt, failure }
    : { ...job, state, endedAt, failure, stored: Math.max(stored, job.stored) }
}
