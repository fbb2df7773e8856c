import { AppError } from '../../../core/errors.ts'
import type { StorageOptions } from '../../../core/ports/storage.ts'
import { BUSY_TIMEOUT_MS, type Connection } from './database.ts'
import { isBusy, translate } from './errors.ts'

interface Job {
  /** True if it needs a transaction of its own. */
  readonly isAlone: boolean
  run(): void
  /** Called after the commit, or with the error. */
  settle(failure: unknown): void
}

export interface Writer {
  /**
   * Runs the change, with others of the same moment, in one transaction, and resolves once it is on disk. Its
   * exception undoes it alone. It is run again when another one throws, so it must change nothing but the database.
   */
  write<T>(change: () => T): Promise<T>
  /** The same in its own transaction, without a savepoint: for many rows, whose pages a savepoint would copy. */
  writeAlone<T>(change: () => T): Promise<T>
  /** Resolves when nothing waits to be written. */
  drained(): Promise<void>
}

type WriterEvents = Pick<StorageOptions, 'onCommit'>

/** More in one transaction would hold the event loop. */
const MAX_GROUP = 500
const MAX_GATHERING_MS = 5
const RETRY_MS = 1
/** Longer than nearly every transaction of our own, shorter than most clients wait. */
const GIVE_UP_MS = 25_000

export const createWriter = (connection: Connection, events: WriterEvents = {}): Writer =>
  new GroupingWriter(connection, events)

class GroupingWriter implements Writer {
  readonly #connection: Connection
  readonly #onCommit: WriterEvents['onCommit']
  readonly #finish: ReturnType<typeof finisher>
  readonly #waiting: Job[] = []
  readonly #idle: (() => void)[] = []
  #isScheduled = false
  #blockedSince: number | null = null

  constructor(connection: Connection, { onCommit }: WriterEvents) {
    this.#connection = connection
    this.#onCommit = onCommit
    this.#finish = finisher(connection)
  }

  write<T>(change: () => T): Promise<T> {
    return this.#enqueue(false, change)
  }

  writeAlone<T>(change: () => T): Promise<T> {
    return this.#enqueue(true, change)
  }

  async drained(): Promise<void> {
    if (this.#isScheduled || this.#waiting.length > 0) await new Promise<void>(resolve => this.#idle.push(resolve))
  }

  #enqueue<T>(isAlone: boolean, change: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let done: { value: T } | null = null
      this.#waiting.push({
        isAlone,
        run: () => {
          done = { value: change() }
        },
        settle: failure => {
          if (failure) reject(failure)
          else if (done) resolve(done.value)
          else reject(new AppError('internal', 'A change was not run.'))
        },
      })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#gather(0, performance.now())
  }

  /**
   * Lets turns of the event loop pass until one brings no further change: a turn accepts a single connection, so
   * changes that many clients send at once, each on a new one, take as many turns to arrive.
   */
  #gather(gathered: number, since: number): void {
    setImmediate(() => {
      const count = this.#waiting.length
      if (count === gathered || count >= MAX_GROUP || performance.now() - since > MAX_GATHERING_MS) this.#flush()
      else this.#gather(count, since)
    })
  }

  #flush(): void {
    const started = performance.now()
    try {
      if (!this.#tryBegin()) {
        setTimeout(() => this.#flush(), RETRY_MS)
        return
      }
    } catch (error) {
      this.#setBlocked(false)
      this.#settleAll(this.#waiting.splice(0), () => translate(error))
      return
    }
    const jobs = this.#nextGroup()
    const { isCommitted, failures } = this.#finish(jobs)
    if (isCommitted) this.#onCommit?.(jobs.length, performance.now() - started)
    this.#settleAll(jobs, index => failures[index])
  }

  /** Returns false while another connection is writing. */
  #tryBegin(): boolean {
    try {
      this.#connection.query<[], unknown>('BEGIN IMMEDIATE').run()
      this.#setBlocked(false)
      return true
    } catch (error) {
      if (!isBusy(error)) throw error
      this.#setBlocked(true)
      if (this.#blockedSince !== null && performance.now() - this.#blockedSince > GIVE_UP_MS) throw error
      return false
    }
  }

  /** After the first failed attempt, SQLite does not wait for the lock itself: each wait would hold the event loop. */
  #setBlocked(isBlocked: boolean): void {
    if (isBlocked === (this.#blockedSince !== null)) return
    this.#blockedSince = isBlocked ? performance.now() : null
    const { db } = this.#connection
    if (db.open) db.pragma(`busy_timeout = ${isBlocked ? 0 : BUSY_TIMEOUT_MS}`)
  }

  #nextGroup(): Job[] {
    const alone = this.#waiting.findIndex(({ isAlone }) => isAlone)
    return this.#waiting.splice(0, alone === -1 ? MAX_GROUP : Math.min(Math.max(alone, 1), MAX_GROUP))
  }

  #settleAll(jobs: readonly Job[], failureOf: (index: number) => unknown): void {
    this.#isScheduled = false
    jobs.forEach((job, index) => {
      job.settle(failureOf(index))
    })
    if (this.#waiting.length > 0) this.#schedule()
    else for (const resolve of this.#idle.splice(0)) resolve()
  }
}

interface Finished {
  readonly isCommitted: boolean
  /** Each job's error, if any. */
  readonly failures: readonly unknown[]
}

/** Runs the jobs in the open transaction, each undone alone if it fails, and commits. */
function finisher({ db, query }: Connection): (jobs: readonly Job[]) => Finished {
  const commit = query<[], unknown>('COMMIT')
  const rollback = query<[], unknown>('ROLLBACK')
  const attempts = attempter(db, query)
  return jobs => {
    try {
      const failures = attempts(jobs)
      commit.run()
      return { isCommitted: true, failures }
    } catch (error) {
      if (db.inTransaction) rollback.run()
      const failure = translate(error)
      return { isCommitted: false, failures: jobs.map(() => failure) }
    }
  }
}

/** Runs jobs within a transaction and returns each one's error; throws if the transaction is lost. */
function attempter(db: Connection['db'], query: Connection['query']): (jobs: readonly Job[]) => readonly unknown[] {
  const savepoint = query<[], unknown>('SAVEPOINT job')
  const release = query<[], unknown>('RELEASE job')
  const undo = query<[], unknown>('ROLLBACK TO job')

  /** Runs these jobs; on an error, undoes all of them and returns it. */
  const attempt = (...jobs: readonly Job[]): unknown => {
    savepoint.run()
    try {
      for (const job of jobs) job.run()
      release.run()
      return null
    } catch (error) {
      if (!db.inTransaction) throw error
      undo.run()
      release.run()
      return translate(error)
    }
  }

  return jobs => {
    if (jobs.length === 1) jobs[0]?.run()
    // Assumes that none fails, which is seldom wrong and costs half.
    else if (attempt(...jobs) !== null) return jobs.map(job => attempt(job))
    return jobs.map(() => null)
  }
}
