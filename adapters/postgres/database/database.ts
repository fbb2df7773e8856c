import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, ClientConfig } from 'pg'
import { AppError } from '../../../core/errors.ts'
import type { Spread } from '../../sql/spread.ts'
import { type Cancel, Clients, unlessAborted } from './connections/clients.ts'
import { Pipelines } from './connections/pipelines.ts'
import { CuttableClient, poolOf, SilenceWatch } from './connections/silence.ts'
import { isConflict, isLost, wasEnded } from './errors.ts'
import { type LongReads, longReads, PATIENCE_MS } from './long-reads.ts'
import { clientConfig } from './options.ts'
import { ended, type Queries, queriesOver, reads, type Send } from './queries.ts'
import type { Sql } from './sql.ts'
import { Statements } from './statements.ts'
import { copyIn, cursorOver, type Rows } from './streams.ts'

/** Statements over a dedicated connection. */
export interface Loading extends Queries {
  /** Stores rows by COPY, several times as fast as by INSERT. */
  copy(table: string, columns: readonly string[], rows: Rows): Promise<void>
  /** Reads rows as arrays, so many at a time. Nothing else may run meanwhile. */
  cursor(statement: Sql, count: number): AsyncIterable<unknown[][]>
}

interface Transactions<Q extends Queries = Queries> {
  /**
   * Runs the work in a transaction and resolves once it is on disk. Repeats the work after a conflict with another
   * transaction, so the work must change nothing but the database.
   */
  write<T>(work: (within: Q) => Promise<T>): Promise<T>
  /** The same from one snapshot, and without repeating the work. */
  snapshot<T>(work: (within: Q) => Promise<T>): Promise<T>
}

/** Repeats its own reads after a lost connection. */
export interface Database extends Queries, Transactions, LongReads {
  /** Long reads that end once the signal aborts: they reject with its reason, and the server stops working on them. */
  until(signal: AbortSignal | undefined): LongReads
  /**
   * `write` for work that finds what it has stored already, such as calls by their ids: repeats it after a lost
   * connection as well.
   */
  repeatable<T>(work: (within: Queries) => Promise<T>): Promise<T>
  /** The same for work that stores many rows. */
  repeatableLoad<T>(work: (within: Loading) => Promise<T>): Promise<T>
  /** Sends writing statements, each in its own transaction, once. */
  readonly single: Queries
  /** A dedicated connection for long work and temporary tables. Its statements end as those of `until` do. */
  session(signal?: AbortSignal): Session
  /** Whether a pooler such as PgBouncer is between the program and the server. */
  isPooled(): Promise<boolean>
  close(): Promise<void>
}

export interface Session extends Loading, Transactions<Loading> {
  /** Drops its temporary tables too. */
  close(): Promise<void>
}

/** For short statements, two to four are faster than a pool of ten. */
const PIPELINES = 2
const CONNECTIONS = 10
/** For transactions with COPY. */
const LOADERS = 4
/** A transaction waits this long for a connection. */
const GIVE_UP_MS = 5_000
const ATTEMPTS = 5

export function connect(address: string, spread: Spread | null = null): Database {
  const config = clientConfig(address, spread?.options)
  const statements = new Statements()
  const silence = new SilenceWatch(config)
  const short = new Pipelines(config, PIPELINES, silence)
  const pool = poolOf({ ...config, pipeline: true, max: CONNECTIONS, connectionTimeoutMillis: GIVE_UP_MS })
  const loaders = poolOf({ ...config, max: LOADERS, connectionTimeoutMillis: PATIENCE_MS })
  const [writing, loading] = [new Clients(pool, silence), new Clients(loaders, silence)]
  const cancel: Cancel = client =>
    short.query({ text: 'SELECT pg_cancel_backend($1)', values: [client.backend], rowMode: 'array' }).then(
      () => undefined,
      () => client.cut(),
    )
  const long = longReads({ config, spread, statements, silence, cancel })
  const over = (client: CuttableClient, signal?: AbortSignal): Queries => {
    const send: Send = statement => client.query<unknown[]>(statement).catch(ended)
    const sendUntil: Send = statement => unlessAborted(client, signal, cancel, () => send(statement))
    return queriesOver(signal ? sendUntil : send, statements, spread)
  }
  const transact: Transact<Queries> = (begin, work) =>
    writing.use(client => transaction(client, begin, () => work(over(client))))
  const load: Transact<Loading> = (begin, work) =>
    loading.use(client => transaction(client, begin, () => work(loadingOver(client, over))))
  return {
    ...queriesOver(reads(short), statements, spread),
    ...long.until(),
    until: long.until,
    single: queriesOver(statement => short.query(statement, unknown), statements, spread),
    ...transactions(transact),
    repeatable: work => repeated(() => transactions(transact).write(work)),
    repeatableLoad: work => repeated(() => transactions(load).write(work)),
    session: signal =>
      session(
        { ...config, statement_timeout: 0, idle_in_transaction_session_timeout: 0 },
        client => over(client, signal),
        spread,
      ),
    isPooled: () => short.isPooled(),
    close: async () => {
      await Promise.all([short.close(), long.close(), writing.end(), loading.end()])
    },
  }
}

/** A server that was restarted is back within these pauses. */
const PAUSE_MS = 100

async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const isOfConnection = error instanceof AppError && ['outcome_unknown', 'unavailable'].includes(error.code)
      if (attempt === ATTEMPTS || !(isOfConnection || isLost(error))) throw error
      await pause(PAUSE_MS * 2 ** attempt)
    }
}

type Transact<Q> = <T>(begin: string, work: (within: Q) => Promise<T>) => Promise<T>

const transactions = <Q extends Queries>(transact: Transact<Q>): Transactions<Q> => ({
  write: async work => {
    for (let attempt = 1; ; attempt++)
      try {
        return await transact('BEGIN', work)
      } catch (error) {
        if (attempt === ATTEMPTS || !isConflict(error)) throw error
      }
  },
  snapshot: work => transact('BEGIN ISOLATION LEVEL REPEATABLE READ', work),
})

/** Connects on first use. */
function session(config: ClientConfig, over: Over, spread: Spread | null): Session {
  let connected: Promise<CuttableClient> | null = null
  const connecting = async (): Promise<CuttableClient> => {
    const client = new CuttableClient(config)
    client.on('error', () => undefined)
    return client.open()
  }
  const present = (): Promise<CuttableClient> => {
    connected ??= connecting()
    return connected
  }
  const queries = async (): Promise<Queries> => over(await present())
  return {
    spread,
    rows: async statement => (await queries()).rows(statement),
    row: async statement => (await queries()).row(statement),
    values: async statement => (await queries()).values(statement),
    value: async statement => (await queries()).value(statement),
    run: async statement => (await queries()).run(statement),
    script: async text => (await queries()).script(text),
    copy: async (...given) => copyIn(await present(), ...given),
    cursor: async function* (...given) {
      yield* cursorOver(await present(), ...given)
    },
    ...transactions<Loading>(async (begin, work) => {
      const client = await present()
      return transaction(client, begin, () => work(loadingOver(client, over)))
    }),
    close: async () => {
      await (await connected?.catch(() => null))?.end()
    },
  }
}

type Over = (client: CuttableClient) => Queries

const loadingOver = (client: CuttableClient, over: Over): Loading => ({
  ...over(client),
  copy: (...given) => copyIn(client, ...given),
  cursor: (...given) => cursorOver(client, ...given),
})

/** COMMIT of a failed transaction answers ROLLBACK, without an error. */
async function transaction<T>(client: ClientBase, begin: string, work: () => Promise<T>): Promise<T> {
  // Sent together with the first statement of the work.
  const begun = client.query(begin)
  // A connection may break before the work ends and this is awaited.
  begun.catch(() => undefined)
  let result: T
  try {
    result = await work()
    await begun
  } catch (error) {
    await begun.then(() => client.query('ROLLBACK')).catch(() => undefined)
    throw error
  }
  const { command } = await committed(client)
  if (command !== 'COMMIT') throw new AppError('internal', 'A transaction was undone instead of committed.')
  return result
}

const committed = (client: ClientBase): Promise<{ readonly command: string }> => client.query('COMMIT').catch(unknown)

/** If the connection breaks during a write, its outcome is unknown. */
function unknown(cause: unknown): never {
  if (!isLost(cause) && !wasEnded(cause)) throw cause
  throw new AppError(
    'outcome_unknown',
    'The connection to the database was lost before it said whether this was stored; look before you repeat it.',
    { cause },
  )
}
