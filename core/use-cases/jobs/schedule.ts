import { AppError } from '../../errors.ts'
import { isOver, type Job } from '../../jobs/job.ts'
import type { JobEnd, JobRunner, JobStore, JobWatcher } from '../../ports/jobs.ts'
import type { Clock } from '../../ports/system.ts'
import type { Duties } from '../../ports/upkeep.ts'

/** Jobs that a program runs at the same time. */
const AT_ONCE = 2
/** How often, and how many times, the end of a job is noted again while the storage cannot be reached. */
const AGAIN_MS = 1_000
const MOST_TRIES = 60
/** How often a job that another program runs is looked at until it has stopped, and how many times. */
const LOOK_MS = 100
const MOST_LOOKS = 60

export interface SchedulePorts {
  readonly store: JobStore
  readonly runner: JobRunner
  readonly duties: Pick<Duties, 'attempt'>
  readonly clock: Clock
  pause(milliseconds: number): Promise<void>
  /** Called with an error of a job that its input did not cause. */
  readonly onTrouble: (error: unknown) => void
}

interface Running {
  readonly abort: AbortController
  readonly done: Promise<void>
}

/**
 * Runs the jobs that wait, beside other programs that serve the database. To run a job is a duty: a job that counts as
 * running without anyone having its duty was left by a program that ended.
 */
export class Schedule {
  readonly #ports: SchedulePorts
  readonly #onEnd: (job: Job) => Promise<void>
  /** The jobs that this program runs, or tries to. */
  readonly #running = new Map<number, Running>()
  #isClosing = false

  /** `onEnd` is called with each job of this program that has ended. */
  constructor(ports: SchedulePorts, onEnd: (job: Job) => Promise<void>) {
    this.#ports = ports
    this.#onEnd = onEnd
  }

  /** Starts jobs that wait while there is room, ends those left by others, and stops what somebody has asked to. */
  async look(): Promise<void> {
    for (const job of await this.#ports.store.openJobs()) {
      if (this.#isClosing) return
      const running = this.#running.get(job.id)
      if (running && job.isStopping) running.abort.abort()
      if (running) continue
      if (job.state === 'running') await this.#ports.duties.attempt(dutyOf(job), () => this.#interrupt(job))
      else if (this.#running.size < AT_ONCE) this.#start(job)
    }
  }

  /** Stops a job, whoever runs it. Resolves once it is over, or after some seconds. */
  async stop({ id }: Job): Promise<void> {
    const { store, clock, pause } = this.#ports
    await store.changeJob(id, job => {
      if (isOver(job)) return null
      if (job.state === 'running') return { ...job, isStopping: true }
      return { ...job, state: 'stopped', endedAt: clock.now(), failure: 'Stopped.' }
    })
    const running = this.#running.get(id)
    running?.abort.abort()
    await running?.done
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const job = await store.findJob(id)
      if (!job || isOver(job)) return
      await pause(LOOK_MS)
    }
  }

  /** Interrupts the running jobs, and starts no more. */
  async close(): Promise<void> {
    this.#isClosing = true
    for (const { abort } of this.#running.values()) abort.abort()
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  #start(job: Job): void {
    const abort = new AbortController()
    const { duties, onTrouble } = this.#ports
    const done = duties
      .attempt(dutyOf(job), lost => this.#run(job.id, abort.signal, lost))
      .catch(error => onTrouble(error))
      .then(async isOurs => {
        this.#running.delete(job.id)
        // Another one may wait for the room.
        if (isOurs === true) await this.look().catch(onTrouble)
      })
    this.#running.set(job.id, { abort, done })
  }

  async #run(id: number, aborted: AbortSignal, lost: AbortSignal): Promise<void> {
    const { store, runner, clock, onTrouble } = this.#ports
    const job = await store.changeJob(id, waiting =>
      waiting.state === 'waiting'
        ? { ...waiting, state: 'running', startedAt: clock.now(), run: waiting.run + 1 }
        : null,
    )
    if (!job) return
    const signal = AbortSignal.any([aborted, lost])
    const end = await runner.run(job, this.#watching(job), signal).catch((error: unknown): JobEnd => {
      onTrouble(error)
      return { state: 'failed', failure: 'Something went wrong that the log of the service tells.', stored: 0 }
    })
    const over = await this.#noted(job, lost.aborted ? cutOff(end) : end)
    if (over) await this.#onEnd(over)
  }

  /** Another program may have taken a job for left behind that ends after all: this is its true end. */
  async #noted({ id, run }: Job, end: JobEnd): Promise<Job | null> {
    const { store, clock, pause } = this.#ports
    for (let tries = 1; ; tries++)
      try {
        return await store.changeJob(id, job => (isOf(job, run) ? ended(job, end, clock.now()) : null))
      } catch (error) {
        const mayPass = error instanceof AppError && ['unavailable', 'outcome_unknown', 'busy'].includes(error.code)
        if (!mayPass || this.#isClosing || tries === MOST_TRIES) throw error
        await pause(AGAIN_MS)
      }
  }

  async #interrupt({ id, run }: Job): Promise<void> {
    const { store, clock } = this.#ports
    const over = { state: 'interrupted' as const, endedAt: clock.now(), failure: 'The service ended while it ran.' }
    await store.changeJob(id, job => (job.state === 'running' && job.run === run ? { ...job, ...over } : null))
  }

  #watching(job: Job): JobWatcher {
    const { store } = this.#ports
    let noting = false
    return {
      at: progress => {
        if (noting) return
        noting = true
        store
          .noteProgress(job, progress)
          .catch(() => undefined)
          .finally(() => {
            noting = false
          })
      },
      began: async before => {
        await store.changeJob(job.id, present =>
          present.kind === 'import' && present.run === job.run ? { ...present, began: before } : null,
        )
      },
    }
  }
}

/** False once somebody has resumed the job. */
const isOf = (job: Job, run: number): boolean =>
  job.run === run && (job.state === 'running' || job.state === 'interrupted')

const dutyOf = ({ id }: Job): string => `job ${id}`

/** Whether the last batch is stored is unknown, so its count is not told. */
const cutOff = (end: JobEnd): JobEnd =>
  end.state === 'done'
    ? end
    : { ...end, state: 'interrupted', failure: 'The connection to the database was lost while it ran.' }

function ended(job: Job, end: JobEnd, endedAt: Job['endedAt']): Job {
  if (end.state === 'done') {
    const over = { ...job, state: end.state, endedAt, progress: end.progress, failure: null }
    if (over.kind === 'export') return { ...over, bytes: end.progress.bytes }
    return { ...over, outcome: end.outcome }
  }
  const { failure, stored } = end
  // Nobody has asked to stop it: its program ended, or lost the duty.
  const state = end.state === 'stopped' && !job.isStopping ? 'interrupted' : end.state
  return job.kind === 'export'
    ? { ...job, state, endedAt, failure }
    : { ...job, state, endedAt, failure, stored: Math.max(stored, job.stored) }
}
