import { signal } from '@preact/signals'
import { asRecord, asRecords, type RecordData, request, Unreached } from './api.ts'

/** The most records to read at once. */
const PART = 200

export interface Written {
  readonly record: RecordData
  /** What to say about it. */
  readonly outcome: string
}

/** Writes, and repeats no write whose answer was lost before it has looked whether it was done. */
export class Once {
  /** True while it is not known whether the last write was done. */
  readonly isUnsure = signal(false)

  /** Runs `write`, unless its answer was lost before and `find` finds what it wrote. */
  async write(
    write: () => Promise<Written>,
    find: () => Promise<RecordData | undefined>,
    found: string,
  ): Promise<Written> {
    const record = this.isUnsure.value ? await find() : undefined
    this.isUnsure.value = false
    if (record) return { record, outcome: found }
    try {
      return await write()
    } catch (error) {
      this.isUnsure.value = error instanceof Unreached
      throw error
    }
  }
}

export interface Creation {
  /** The path of the list that holds what is created, and a filter by which to find it. */
  readonly list: string
  readonly filter?: Readonly<Record<string, string>>
  /** The request, a POST. */
  readonly path: string
  readonly json: unknown
  /** Tells whether a record is the one that the request creates. */
  readonly isSame: (record: RecordData) => boolean
  /** What to say if an earlier request created it. */
  readonly found: string
}

/** Creates records, each once, though an answer is lost. */
export class CreatingOnce {
  readonly #once = new Once()
  readonly isUnsure = this.#once.isUnsure
  /** The newest record before the first try. */
  #before = 0

  async create({ list, filter = {}, path, json, isSame, found }: Creation): Promise<Written> {
    if (!this.isUnsure.value) this.#before = (await newest(list, { limit: '1' })).records[0]?.id ?? 0
    return this.#once.write(
      () => written('POST', path, { json }),
      () => createdSince(this.#before, list, filter, isSame),
      found,
    )
  }
}

/** Sends a request that answers with a record. */
export async function written(...[method, path, options]: Parameters<typeof request>): Promise<Written> {
  const { data, message } = await request(method, path, options)
  return { record: asRecord(data), outcome: message }
}

async function newest(list: string, query: Readonly<Record<string, string>>) {
  const { data, headers } = await request('GET', `${list}?${new URLSearchParams({ ...query, sort: '-id' })}`)
  return { records: asRecords(data), next: headers.get('x-next-after') }
}

/** Returns the newest such record after that one. */
async function createdSince(id: number, list: string, filter: Creation['filter'], isSame: Creation['isSame']) {
  const query = { ...filter, limit: String(PART) }
  for (let after: string | null = null; ; ) {
    const { records, next } = await newest(list, after === null ? query : { ...query, after })
    const found = records.find(record => record.id > id && isSame(record))
    if (found || next === null || Number(next) <= id) return found
    after = next
  }
}
