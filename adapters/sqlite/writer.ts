import { AppError } from '../../core/errors.ts'
import { BUSY_TIMEOUT_MS, type Connection } from './database.ts'
import { isBusy, translate } from './errors.ts'

interface Job {
  /** Has its transaction to itself. */
  readonly isAlone: boolean
  run(): void
  /** Called after the commit, or with what went wrong. */
  settle(failure: unknown): void
}

export interface Writer {
  /**
   * Runs the change with those that come along with it in one transaction, and resolves once it is on disk. What it
   * throws undoes it alone; when another throws, it is run again, so it changes nothing but the database.
   */
  write<T>(change: () => T): Promise<T>
  /** The same in a transaction of its own, without a savepoint: for many rows, whose pages that would copy. */
  writeAlone<T>(change: () => T): Promise<T>
  /** Resolves when nothing waits to be written. */
  drained(): Promise<void>
}

export interface WriterEvents {
  readonly onCommit?: (changes: number, milliseconds: number) => void
}

/** More than this in one transaction would hold the event loop. */
const MAX_GROUP = 500
const MAX_GATHERING_MS = 5
const RETRY_MS = 1
/** Longer than nearly every transaction of our own, shorter than what most clients wait. */
const GIVE_UP_MS = 25_000

export function createWriter(connection: Connection, { onCommit }: WriterEvents = {}): Writer {
  const { db, query } = connection
  const begin = query<[], unknown>('BEGIN IMMEDIATE')
  const finish = finisher(connection)
  const waiting: Job[] = []
  let scheduled = false
  let blockedSince: number | null = null
  const idle: (() => void)[] = []

  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    gather(0, performance.now())
  }

  /**
   * Lets turns of the event loop pass until one brings no further change: a turn accepts a single connection, so what
   * many clients send at once, each on a new one, comes in as many turns.
   */
  const gather = (gathered: number, since: number): void => {
    setImmediate(() => {
      const count = waiting.length
      if (count === gathered || count >= MAX_GROUP || performance.now() - since > MAX_GATHERING_MS) flush()
      else gather(count, since)
    })
  }

  const nextGroup = (): Job[] => {
    const alone = waiting.findIndex(({ isAlone }) => isAlone)
    return waiting.splice(0, alone === -1 ? MAX_GROUP : Math.min(Math.max(alone, 1), MAX_GROUP))
  }

  /** From the first vain attempt on, SQLite does not wait for the lock itself: each wait would hold the event loop. */
  const setBlocked = (isBlocked: boolean): void => {
    if (isBlocked === (blockedSince !== null)) return
    blockedSince = isBlocked ? performance.now() : null
    if (db.open) db.pragma(`busy_timeout = ${isBlocked ? 0 : BUSY_TIMEOUT_MS}`)
  }

  /** Returns false while another connection is writing. */
  const tryBegin = (): boolean => {
    try {
      begin.run()
      setBlocked(false)
      return true
    } catch (error) {
      if (!isBusy(error)) throw error
      setBlocked(true)
      if (blockedSince !== null && performance.now() - blockedSince > GIVE_UP_MS) throw error
      return false
    }
  }

  const flush = (): void => {
    const started = performance.now()
    try {
      if (!tryBegin()) {
        setTimeout(flush, RETRY_MS)
        return
      }
    } catch (error) {
      setBlocked(false)
      settleAll(waiting.splice(0), () => translate(error))
      return
    }
    const jobs = nextGroup()
    const { isCommitted, failures } = finish(jobs)
    if (isCommitted) onCommit?.(jobs.length, performance.now() - started)
    settleAll(jobs, index => failures[index])
  }

  const settleAll = (jobs: readonly Job[], failureOf: (index: number) => unknown): void => {
    scheduled = false
    jobs.forEach((job, index) => {
      job.settle(failureOf(index))
    })
    if (waiting.length > 0) schedule()
    else for (const resolve of idle.splice(0)) resolve()
  }

  const enqueue = <T>(isAlone: boolean, change: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      let done: { value: T } | null = null
      waiting.push({
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
      schedule()
    })

  return {
    write: change => enqueue(false, change),
    writeAlone: change => enqueue(true, change),
    drained: () => (scheduled || waiting.length > 0 ? new Promise(resolve => idle.push(resolve)) : Promise.resolve()),
  }
}

interface Finished {
  readonly isCommitted: boolean
  /** What went wrong with each job, if anything. */
  readonly failures: readonly unknown[]
}

/** Runs the jobs in the transaction that was begun, each undone alone where it fails, and commits it. */
function finisher({ db, query }: Connection): (jobs: readonly Job[]) => Finished {
  const commit = query<[], unknown>('COMMIT')
  const rollback = query<[], unknown>('ROLLBACK')
  const savepoint = query<[], unknown>('SAVEPOINT job')
  const release = query<[], unknown>('RELEASE job')
  const undo = query<[], unknown>('ROLLBACK TO job')

  /** Runs a job under its savepoint; returns what went wrong with it alone. Throws when the transaction is lost. */
  const attempt = (job: Job): unknown => {
    savepoint.run()
    try {
      job.run()
      release.run()
      return null
    } catch (error) {
      if (!db.inTransaction) throw error
      undo.run()
      release.run()
      return translate(error)
    }
  }

  /** Runs them as if none could fail, which is seldom wrong and costs half; false when one does, with all of it undone. */
  const attemptTogether = (jobs: readonly Job[]): boolean => {
    savepoint.run()
    try {
      for (const job of jobs) job.run()
      return true
    } catch (error) {
      if (!db.inTransaction) throw error
      undo.run()
      release.run()
      return false
    }
  }

  const attemptAll = (jobs: readonly Job[]): unknown[] => {
    if (jobs.length === 1) jobs[0]?.run()
    else if (!attemptTogether(jobs)) return jobs.map(attempt)
    return jobs.map(() => null)
  }

  return jobs => {
    try {
      const failures = attemptAll(jobs)
      commit.run()
      return { isCommitted: true, failures }
    } catch (error) {
      if (db.inTransaction) rollback.run()
      const failure = translate(error)
      return { isCommitted: false, failures: jobs.map(() => failure) }
    }
  }
}
