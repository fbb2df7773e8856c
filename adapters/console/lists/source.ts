import { computed, signal } from '@preact/signals'
import { asRecords, get, type RecordData, request } from '../state/api.ts'

/** Rows requested at once. */
export const PART = 200
/** Counts are exact up to this; so many rows are sorted in a moment, by whatever field. */
export const SHORT = 10_000
/** Parts to keep; others are loaded again when scrolled to. */
const KEPT = 20

interface Part {
  /** The row before the part; null at the beginning. */
  readonly after: number | null
  readonly rows: readonly RecordData[] | null
}

export type ListState = 'loading' | 'ready' | 'failed'

/**
 * Loads the rows of one list, part by part. Each part is requested by the last row of the previous one, so seen parts
 * can be loaded again in any order, and memory stays the same however long the list is.
 */
export class ListSource {
  readonly #path: string
  readonly #query: string
  readonly #asking = new Map<number, AbortController>()
  #parts: Part[] = [{ after: null, rows: null }]
  #lastUsed: number[] = []
  /** The number of known rows, loaded or not. */
  readonly known = signal(0)
  readonly isWhole = signal(false)
  /** As far as the service counts; null while that is not known. */
  readonly #counted = signal<number | null>(null)
  /** The number of rows, or more than SHORT; null while it is not known. */
  readonly total = computed(() => (this.isWhole.value ? this.known.value : this.#counted.value))
  readonly state = signal<ListState>('loading')
  readonly error = signal<Error | null>(null)
  /** Counts changes of the rows' contents. */
  readonly version = signal(0)

  /** `query` has neither limit nor after. */
  constructor(path: string, query: URLSearchParams) {
    this.#path = path
    this.#query = query.toString()
    void this.#load(0)
  }

  /** Returns the row, or undefined while it is not loaded. */
  row(index: number): RecordData | undefined {
    return this.#parts[Math.floor(index / PART)]?.rows?.[index % PART]
  }

  /** Loads missing rows in this range, and the following ones. */
  want(from: number, to: number): void {
    for (let part = Math.floor(from / PART); part <= Math.floor((to + PART / 2) / PART); part++) {
      const piece = this.#parts[part]
      if (!piece) break
      if (piece.rows) this.#use(part)
      else void this.#load(part)
    }
  }

  /** Counts the rows, unless that would take long. */
  async count(signal: AbortSignal): Promise<void> {
    const data = await get(`${this.#path}/count?${this.#query}`, signal)
    const count = typeof data === 'object' && data !== null && 'count' in data ? data.count : null
    if (typeof count === 'number') this.#counted.value = count
  }

  retry(): void {
    this.error.value = null
    this.state.value = 'loading'
    const missing = this.#parts.findIndex(({ rows }) => rows === null)
    if (missing >= 0) void this.#load(missing)
  }

  close(): void {
    for (const asking of this.#asking.values()) asking.abort()
  }

  async #load(index: number): Promise<void> {
    const part = this.#parts[index]
    if (!part || this.#asking.has(index) || this.error.value) return
    const asking = new AbortController()
    this.#asking.set(index, asking)
    try {
      const query = new URLSearchParams(this.#query)
      query.set('limit', String(PART))
      if (part.after !== null) query.set('after', String(part.after))
      const { data, headers } = await request('GET', `${this.#path}?${query}`, { signal: asking.signal })
      this.#keep(index, asRecords(data), headers.get('x-next-after'))
      this.state.value = 'ready'
    } catch (error) {
      if (asking.signal.aborted) return
      this.error.value = error instanceof Error ? error : new Error(String(error))
      this.state.value = 'failed'
    } finally {
      this.#asking.delete(index)
    }
  }

  #keep(index: number, rows: readonly RecordData[], next: string | null): void {
    const part = this.#parts[index]
    if (!part) return
    this.#parts[index] = { ...part, rows }
    if (index === this.#parts.length - 1) {
      if (next === null) this.isWhole.value = true
      else this.#parts.push({ after: Number(next), rows: null })
      this.known.value = index * PART + rows.length
    }
    this.#use(index)
    this.version.value++
  }

  /** Marks a part as used, and drops the least recently used one. */
  #use(index: number): void {
    if (this.#lastUsed.at(-1) === index) return
    this.#lastUsed = [...this.#lastUsed.filter(each => each !== index), index]
    if (this.#lastUsed.length <= KEPT) return
    const [oldest = index, ...others] = this.#lastUsed
    const part = this.#parts[oldest]
    if (part) this.#parts[oldest] = { ...part, rows: null }
    this.#lastUsed = others
  }
}
