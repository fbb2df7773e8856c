import type { ClientConfig, QueryArrayConfig, QueryResult } from 'pg'
import { isLost, unreachable, wasEnded } from '../errors.ts'
import { CuttableClient, type SilenceWatch } from './silence.ts'

type Rows = QueryResult<unknown[]>

const rethrow = (error: unknown): never => {
  throw error
}

interface Slot {
  client: Promise<CuttableClient> | null
  /** Statements without an answer. */
  waiting: number
}

/**
 * A few connections shared by many statements, which are sent without waiting for earlier answers, each on the
 * connection with the fewest. A lost connection is opened again on the next use; the statements waiting on it are
 * rejected.
 */
export class Pipelines {
  readonly #config: ClientConfig
  readonly #slots: Slot[]
  readonly #silence: SilenceWatch

  constructor(config: ClientConfig, count: number, silence: SilenceWatch) {
    this.#silence = silence
    this.#config = { ...config, pipeline: true }
    this.#slots = Array.from({ length: count }, () => ({ client: null, waiting: 0 }))
  }

  /** `lost` is called with the error of a statement that was sent; it is not if there is no connection. */
  async query(statement: QueryArrayConfig, lost: (error: unknown) => never = rethrow): Promise<Rows> {
    const slot = this.#slots.reduce((least, each) => (each.waiting < least.waiting ? each : least))
    slot.waiting++
    try {
      const client = await this.#client(slot)
      const answered = this.#silence.watch(client)
      return await client.query<unknown[]>(statement).catch(lost).finally(answered)
    } finally {
      slot.waiting--
    }
  }

  /** Whether a pooler is between the program and the server. */
  async isPooled(): Promise<boolean> {
    const [slot] = this.#slots
    return slot !== undefined && (await this.#client(slot)).isPooled
  }

  async close(): Promise<void> {
    const open = this.#slots.flatMap(({ client }) => client ?? [])
    await Promise.all(open.map(client => client.then(opened => opened.end()).catch(() => undefined)))
  }

  #client(slot: Slot): Promise<CuttableClient> {
    slot.client ??= this.#connect(slot)
    return slot.client
  }

  #connect(slot: Slot): Promise<CuttableClient> {
    const client = new CuttableClient(this.#config)
    const forget = (): void => {
      if (slot.client === connected) slot.client = null
    }
    const connected = client.open().catch(error => {
      // Nothing was sent.
      throw isLost(error) || wasEnded(error) ? unreachable(error) : error
    })
    connected.catch(forget)
    client.on('error', forget)
    client.on('end', forget)
    return connected
  }
}
