import type { ClientConfig } from 'pg'
import { AppError } from '../../../core/errors.ts'
import type { Spread } from '../../sql/spread.ts'
import { type Cancel, Clients, unlessAborted } from './connections/clients.ts'
import { Pipelines } from './connections/pipelines.ts'
import { poolOf, type SilenceWatch } from './connections/silence.ts'
import { isLost } from './errors.ts'
import { ended, type Queries, queriesOver, reads, type Send } from './queries.ts'
import type { Sql } from './sql.ts'
import type { Statements } from './statements.ts'
import { copyOut, Unread } from './streams.ts'

/** Takes lines of COPY, each valid only until `add` returns. */
export interface LineTaker<T> {
  add(line: Buffer): void
  end(): T
}

/** Reads over connections of their own, so that short statements never wait for them. */
export interface LongReads {
  /** For what reads much at once but finds it by an index, such as pages of lists. Runs to its end in any case. */
  readonly long: Queries
  /**
   * For what may have to look through a whole table, such as searches. The server plans each for its values, since
   * statements are not named.
   */
  readonly planned: Queries
  /** Reads many rows as lines of COPY; `begin` again if the connection is lost on the way. */
  copyOut<T>(statement: Sql, begin: () => LineTaker<T>): Promise<T>
}

const PIPELINES = 4
const CONNECTIONS = 4
/** For pages of lists by COPY. */
const READERS = 4
/** What takes long waits so many milliseconds for a connection. */
export const PATIENCE_MS = 60_000
/** A page has few records, for which other joins would read all of a table that an index finds one by one. */
const BY_INDEX = '-c enable_hashjoin=off -c enable_mergejoin=off'

interface LongReadsOptions {
  readonly config: ClientConfig
  readonly spread: Spread | null
  readonly statements: Statements
  readonly silence: SilenceWatch
  readonly cancel: Cancel
}

/** The reader's own error is no trouble of the connection. */
function outcome(error: unknown): never {
  if (error instanceof Unread) throw error.cause
  return ended(error)
}

export function longReads({ config, spread, statements, silence, cancel }: LongReadsOptions) {
  const patient = { ...config, connectionTimeoutMillis: PATIENCE_MS }
  const options = `${config.options} ${spread ? '' : BY_INDEX}`
  const pipelines = new Pipelines(config, PIPELINES, silence)
  const own = new Clients(poolOf({ ...patient, max: CONNECTIONS, idleTimeoutMillis: 0 }), silence)
  const readers = new Clients(poolOf({ ...patient, max: READERS, options }), silence)
  const long = queriesOver(reads(pipelines), statements, spread)
  const until = (signal?: AbortSignal): LongReads => {
    const send: Send = statement =>
      own.use(client => unlessAborted(client, signal, cancel, () => client.query<unknown[]>(statement)))
    const copy = <T>(statement: Sql, begin: () => LineTaker<T>): Promise<T> =>
      readers.use(async client => {
        const taker = begin()
        const copying = () => copyOut(client, statement, line => taker.add(line))
        await unlessAborted(client, signal, cancel, copying).catch(outcome)
        return taker.end()
      })
    return {
      long,
      planned: queriesOver(reads({ query: send }), statements, spread, false),
      copyOut: (statement, begin) =>
        copy(statement, begin).catch(error => {
          if (!isLost(error) && !(error instanceof AppError && error.code === 'unavailable')) throw error
          return copy(statement, begin)
        }),
    }
  }
  return { until, close: () => Promise.all([pipelines.close(), own.end(), readers.end()]) }
}
