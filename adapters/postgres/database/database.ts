import { setTimeout as pause } from 'node:timers/promises'
import {
  Client,
  type ClientBase,
  type ClientConfig,
  type Pool,
  type PoolClient,
  type QueryArrayConfig,
  type QueryResult,
} from 'pg'
import { AppError } from '../../../core/errors.ts'
import type { Spread } from '../../sql/spread.ts'
import { busy, codeOf, isConflict, isLost, isNoText, unreachable, wasEnded } from './errors.ts'
import { clientConfig } from './options.ts'
import { Pipelines } from './pipelines.ts'
import { CuttableClient, poolOf, SilenceWatch } from './silence.ts'
import type { Sql } from './sql.ts'
import { Statements } from './statements.ts'
import { copyIn, copyOut, cursorOver, type Rows } from './streams.ts'

/** Runs statements, inside or outside a transaction. */
export interface Queries {
  /** How a cluster spreads calls; null on one server. */
  readonly spread: Spread | null
  /** The rows as objects. */
  rows<R>(statement: Sql): Promise<R[]>
  /** The first row; undefined if there is none. */
  row<R>(statement: Sql): Promise<R | undefined>
  /** The first column of each row. */
  values<V>(statement: Sql): Promise<V[]>
  /** The first column of the first row; undefined if there is none. */
  value<V>(statement: Sql): Promise<V | undefined>
  /** Returns how many rows changed. */
  run(statement: Sql): Promise<number>
  /** Runs a script of several statements. */
  script(text: string): Promise<void>
}

/** The same over a dedicated connection. */
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

/** Takes lines of COPY, each valid only until `add` returns. */
export interface LineTaker<T> {
  add(line: Buffer): void
  end(): T
}

/** Repeats its own reads after a lost connection. */
export interface Database extends Queries, Transactions {
  /** The same over connections for what takes longer, such as pages of lists, so that short statements never wait. */
  readonly long: Queries
  /** The same as `long` without named statements: the server plans each for its values, as searches need. */
  readonly planned: Queries
  /**
   * `write` for work that finds what it has stored already, such as calls by their ids: repeats it after a lost
   * connection as well.
   */
  repeatable<T>(work: (within: Queries) => Promise<T>): Promise<T>
  /** The same for work that stores many rows. */
  repeatableLoad<T>(work: (within: Loading) => Promise<T>): Promise<T>
  /** Reads many rows as lines of COPY; `begin` again if the connection is lost on the way. */
  copyOut<T>(statement: Sql, begin: () => LineTaker<T>): Promise<T>
  /** Sends writing statements, each in its own transaction, once. */
  readonly single: Queries
  /** A dedicated connection for long work and temporary tables. */
  session(): Session
  close(): Promise<void>
}

export interface Session extends Loading, Transactions<Loading> {
  /** Drops its temporary tables too. */
  close(): Promise<void>
}

/** For short statements, two to four are faster than a pool of ten. */
const PIPELINES = 2
const LONG_PIPELINES = 4
/** For pages of lists by COPY, which wait for one another rather than give up. */
const READERS = 4
const LONG_GIVE_UP_MS = 60_000
/** A page has few records, for which other joins would read all of a table that an index finds one by one. */
const BY_INDEX = '-c enable_hashjoin=off -c enable_mergejoin=off'
const CONNECTIONS = 10
/** For transactions with COPY. */
const LOADERS = 4
/** A transaction waits this long for a connection, unless as many others wait already. */
const GIVE_UP_MS = 5_000
const MOST_WAITING = 2_000
const ATTEMPTS = 5

/** The result of asking for text that cannot be stored. */
const NOTHING: QueryResult<unknown[]> = { command: 'SELECT', rowCount: 0, oid: 0, fields: [], rows: [] }

type Send = (statement: QueryArrayConfig) => Promise<QueryResult<unknown[]>>

/**
 * Statements over any way to send them. Rows come as arrays, which cost less than objects where one column is wanted.
 */
export function queriesOver(send: Send, statements: Statements, spread: Spread | null, isNamed = true): Queries {
  const ask = (statement: Sql) => send(statements.of(statement, isNamed))
  const values = async <V>(statement: Sql): Promise<V[]> => (await ask(statement)).rows.map(row => row[0] as V)
  const rows = async <R>(statement: Sql): Promise<R[]> => {
    const { fields, rows } = await ask(statement)
    return rows.map(row => Object.fromEntries(fields.map(({ name }, index) => [name, row[index]])) as R)
  }
  return {
    spread,
    rows,
    row: async <R>(statement: Sql) => (await rows<R>(statement))[0],
    values,
    value: async <V>(statement: Sql) => (await values<V>(statement))[0],
    run: async statement => (await ask(statement)).rowCount ?? 0,
    script: async text => void (await send({ text, rowMode: 'array' })),
  }
}

export function connect(address: string, spread: Spread | null = null): Database {
  const config = clientConfig(address, spread?.options)
  const statements = new Statements()
  const silence = new SilenceWatch(config)
  const [short, long] = [new Pipelines(config, PIPELINES, silence), new Pipelines(config, LONG_PIPELINES, silence)]
  const pool = poolOf({ ...config, pipeline: true, max: CONNECTIONS, connectionTimeoutMillis: GIVE_UP_MS })
  const patient = { ...config, connectionTimeoutMillis: LONG_GIVE_UP_MS }
  const readers = poolOf({ ...patient, max: READERS, options: `${config.options} ${spread ? '' : BY_INDEX}` })
  const loaders = poolOf({ ...patient, max: LOADERS })
  const over = (client: ClientBase): Queries =>
    queriesOver(statement => client.query<unknown[]>(statement).catch(ended), statements, spread)
  const transact: Transact<Queries> = (begin, work) =>
    withClient(pool, silence, client => transaction(client, begin, () => work(over(client))))
  const load: Transact<Loading> = (begin, work) =>
    withClient(loaders, silence, client => transaction(client, begin, () => work(loadingOver(client, over))))
  return {
    ...queriesOver(reads(short), statements, spread),
    long: queriesOver(reads(long), statements, spread),
    planned: queriesOver(reads(long), statements, spread, false),
    copyOut: (statement, begin) => {
      const read = () =>
        withClient(readers, silence, async client => {
          const taker = begin()
          await copyOut(client, statement, line => taker.add(line)).catch(ended)
          return taker.end()
        })
      return read().catch(error => {
        if (!isLost(error) && !(error instanceof AppError && error.code === 'unavailable')) throw error
        return read()
      })
    },
    single: queriesOver(statement => short.query(statement, unknown), statements, spread),
    ...transactions(transact),
    repeatable: work => repeated(() => transactions(transact).write(work)),
    repeatableLoad: work => repeated(() => transactions(load).write(work)),
    session: () => session({ ...config, statement_timeout: 0, idle_in_transaction_session_timeout: 0 }, over, spread),
    close: async () => {
      await Promise.all([short.close(), long.close(), pool.end(), readers.end(), loaders.end()])
    },
  }
}

/** Reads can be repeated: the connection may have ended while idle. */
const reads =
  (pipelines: Pipelines): Send =>
  async statement => {
    try {
      return await pipelines.query(statement)
    } catch (error) {
      if (isNoText(error)) return NOTHING
      if (!isLost(error) && !wasEnded(error)) throw error
      return pipelines.query(statement).catch(ended)
    }
  }

/** What was lost before its COMMIT is undone by the server. */
function ended(cause: unknown): never {
  throw wasEnded(cause) ? unreachable(cause) : cause
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
function session(config: ClientConfig, over: (client: ClientBase) => Queries, spread: Spread | null): Session {
  let connected: Promise<Client> | null = null
  const connecting = async (): Promise<Client> => {
    const client = new Client(config)
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const present = (): Promise<Client> => {
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

const loadingOver = (client: ClientBase, over: (client: ClientBase) => Queries): Loading => ({
  ...over(client),
  copy: (...given) => copyIn(client, ...given),
  cursor: (...given) => cursorOver(client, ...given),
})

async function withClient<T>(pool: Pool, silence: SilenceWatch, use: (client: PoolClient) => Promise<T>): Promise<T> {
  if (pool.waitingCount >= MOST_WAITING) throw busy()
  const client = await pool.connect().catch(error => {
    throw codeOf(error) === '' ? busy(error) : error
  })
  const done = client instanceof CuttableClient ? silence.watch(client) : () => undefined
  let isBroken = true
  try {
    const result = await use(client)
    isBroken = false
    return result
  } catch (error) {
    isBroken = isLost(error) || wasEnded(error) || (error instanceof AppError && error.code === 'unavailable')
    throw error
  } finally {
    done()
    client.release(isBroken)
  }
}

/** COMMIT of a failed transaction answers ROLLBACK, without an error. */
async function transaction<T>(client: ClientBase, begin: string, work: () => Promise<T>): Promise<T> {
  // Sent together with the first statement of the work.
  const begun = client.query(begin)
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
