import { Client, type ClientConfig, type QueryArrayConfig, type QueryResult } from 'pg'

type Rows = QueryResult<unknown[]>

/**
 * A few connections shared by many short statements, which are sent without waiting for earlier answers. A lost
 * connection is opened again on the next use; the statements waiting on it are rejected.
 */
export class Pipelines {
  readonly #config: ClientConfig
  readonly #slots: (Promise<Client> | null)[]
  #next = 0

  constructor(config: ClientConfig, count: number) {
    this.#config = { ...config, pipeline: true }
    this.#slots = Array.from({ length: count }, () => null)
  }

  async query(statement: QueryArrayConfig): Promise<Rows> {
    this.#next = (this.#next + 1) % this.#slots.length
    const client = await this.#client(this.#next)
    return client.query<unknown[]>(statement)
  }

  async close(): Promise<void> {
    const open = this.#slots.splice(0).flatMap(slot => slot ?? [])
    await Promise.all(open.map(slot => slot.then(client => client.end()).catch(() => undefined)))
  }

  #client(slot: number): Promise<Client> {
    const present = this.#slots[slot] ?? this.#connect(slot)
    this.#slots[slot] = present
    return present
  }

  #connect(slot: number): Promise<Client> {
    const client = new Client(this.#config)
    const forget = (): void => {
      if (this.#slots[slot] === connected) this.#slots[slot] = null
    }
    const connected = client.connect().then(() => client)
    connected.catch(forget)
    client.on('error', forget)
    client.on('end', forget)
    return connected
  }
}
