import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type ClientBase, type ClientConfig, Pool, type PoolConfig } from 'pg'
import { codeOf, isLost } from '../errors.ts'
import { CONNECT_MS, settingsOf } from '../options.ts'

/** What belongs to connecting takes no longer than that. */
const PROMPT = { query_timeout: CONNECT_MS }

/** A client that can be cut off without the server's help. */
export class CuttableClient extends Client {
  readonly #socket: Socket
  readonly #settings: ReadonlyMap<string, string>
  #isCut = false
  #backend: number | null = null

  constructor(config: ClientConfig = {}) {
    const socket = new Socket()
    // A pool hides the password from spreading.
    const { password } = config
    super({ ...config, ...(password === undefined ? {} : { password }), stream: () => socket })
    this.#socket = socket
    this.#settings = settingsOf(config)
  }

  /** Connects, and learns which process of the server it has. */
  async open(): Promise<this> {
    await this.connect()
    await this.learn().catch(error => {
      this.cut()
      throw error
    })
    return this
  }

  /**
   * Learns, once connected, which process of the server it has. A pooler such as PgBouncer tells an invented id, and
   * drops the settings of a connection, which are made again.
   */
  async learn(): Promise<void> {
    this.#backend = await this.ownBackend()
    if (!this.isPooled) return
    await this.query({
      text: 'SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) s (name, value)',
      values: [[...this.#settings.keys()], [...this.#settings.values()]],
      ...PROMPT,
    })
  }

  /** Returns the id of the server's process for the present statement. */
  async ownBackend(): Promise<number> {
    const { rows } = await this.query<[number]>({
      text: 'SELECT pg_backend_pid()',
      rowMode: 'array',
      ...PROMPT,
    })
    return rows[0]?.[0] ?? 0
  }

  /** The id of the server's process; null before it is learnt. */
  get backend(): number | null {
    return this.#backend
  }

  /** Whether a pooler is between the client and the server. */
  get isPooled(): boolean {
    return 'processID' in this && this.processID !== this.#backend
  }

  /** Whether it was cut, which its events tell only later. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Ends it as a network that gives up does: whatever waits for an answer fails. */
  cut(): void {
    this.#isCut = true
    this.#socket.destroy(Object.assign(new Error('The server does not answer.'), { code: 'ETIMEDOUT' }))
  }
}

/** A pool of clients that can be cut. */
export function poolOf(config: PoolConfig): Pool {
  const onConnect = (client: ClientBase) => (client instanceof CuttableClient ? client.learn() : undefined)
  const pool = new Pool({ ...config, Client: CuttableClient, onConnect })
  pool.on('error', () => undefined)
  // A connection without its own listener ends the process if it breaks in use.
  pool.on('connect', client => client.on('error', () => undefined))
  return pool
}

/** After this time without an answer, the server is asked over another connection whether it still works on it. */
const PATIENCE_MS = 3_000
const LOOK_MS = 1_000

interface Waiting {
  readonly client: CuttableClient
  readonly since: number
  lookAt: number
}

/**
 * Cuts clients whose answers a network has lost without a word. The driver would wait for them until the statement's
 * time is up.
 */
export class SilenceWatch {
  readonly #config: ClientConfig
  readonly #waiting = new Set<Waiting>()
  #isWatching = false

  constructor(config: ClientConfig) {
    this.#config = { ...config, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS }
  }

  /** Watches the client until the returned function is called. */
  watch(client: CuttableClient): () => void {
    const since = performance.now()
    const waiting = { client, since, lookAt: since + PATIENCE_MS }
    this.#waiting.add(waiting)
    if (!this.#isWatching) void this.#look()
    return () => void this.#waiting.delete(waiting)
  }

  async #look(): Promise<void> {
    this.#isWatching = true
    while (this.#waiting.size > 0) {
      await pause(LOOK_MS, undefined, { ref: false })
      const now = performance.now()
      const due = [...this.#waiting].filter(({ lookAt }) => lookAt <= now)
      if (due.length === 0) continue
      // The longer it takes, the less often it is looked at.
      for (const each of due) each.lookAt = now + (now - each.since)
      const busy = await backendsAtWork(this.#config, due)
      for (const each of due)
        if (this.#waiting.has(each) && !(each.client.backend !== null && busy(each.client.backend))) each.client.cut()
    }
    this.#isWatching = false
  }
}

/** Which processes of the server work, or did a moment ago; none if the server cannot be reached. */
async function backendsAtWork(
  config: ClientConfig,
  waiting: readonly Waiting[],
): Promise<(backend: number) => boolean> {
  const backends = waiting.flatMap(({ client: { backend } }) => backend ?? [])
  const client = new CuttableClient(config)
  client.on('error', () => undefined)
  try {
    await client.open()
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)
        AND (state = 'active' OR state_change > now() - make_interval(secs => $2))`,
      [backends, PATIENCE_MS / 1000],
    )
    client.end().catch(() => undefined)
    return backend => rows.some(({ pid }) => pid === backend)
  } catch (error) {
    client.cut()
    // A server that refuses the connection is there.
    const isThere = codeOf(error) !== '' && !isLost(error)
    return () => isThere || codeOf(error) === '53300'
  }
}
