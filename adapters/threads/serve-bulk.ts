import type {
  Bulk,
  BulkCounts,
  BulkLoad,
  BulkPlan,
  BulkRecords,
  ImportPlace,
  PlaceOf,
  Rejection,
} from '../../core/ports/bulk.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { type Channel, type Peer, peer } from './peer.ts'

/** A plan that can be passed between threads, with the resource's name. */
type PlainPlan = Omit<BulkPlan, 'resource'> & { readonly resource: string }

type BatchSize = Pick<BulkLoad, 'batchSize'>

/** What the thread with the storage offers: `open`, then the methods of that load. */
export type BulkMethods = {
  open(plan: PlainPlan): BulkLoad['batchSize']
  add(records: readonly BulkRecords[]): Promise<void>
  check(): Promise<BulkCounts>
  /** Includes the place to keep if no record is rejected: asking for it would wait until the other side has read on. */
  store(place: ImportPlace, approved: BulkCounts | undefined): Promise<BulkCounts & BatchSize>
  /** Returns the first page of rejections, or the next; an empty one is the end. */
  rejections(isFirst: boolean): Promise<readonly Rejection[]>
  close(): Promise<void>
  /** Closes the storage. */
  end(): Promise<void>
}

/** What the thread calls back: the place to keep with what is being stored. */
export type CallerMethods = {
  place(counts: BulkCounts, rejections: readonly Rejection[]): Promise<ImportPlace>
}

/** The number of rejections to pass at once, and about the most characters of their rows. */
const PAGE = 500
const PAGE_LENGTH = 1024 * 1024

interface Served {
  readonly bulk: Pick<Bulk, 'load'>
  close(): Promise<void>
}

/** Answers calls from the channel with this storage, until `end` is called. */
export function serveBulk({ bulk, close }: Served, channel: Channel): void {
  let load: BulkLoad | null = null
  let rejections: AsyncIterator<Rejection> | null = null
  const current = (): BulkLoad => {
    if (!load) throw new Error('No load is open.')
    return load
  }
  const methods: BulkMethods = {
    open: plan => {
      load = bulk.load({ ...plan, resource: resourceNamed(plan.resource) })
      return load.batchSize
    },
    add: records => current().add(records),
    check: () => current().check(),
    store: async (place, approved) => {
      const placeOf: PlaceOf = (counts, rejections) =>
        counts.skipped === 0 && rejections.length === 0 ? place : caller.call('place', counts, rejections)
      const counts = await current().store(placeOf, approved)
      return { ...counts, batchSize: current().batchSize }
    },
    rejections: async isFirst => {
      if (isFirst || !rejections) rejections = current().rejections()[Symbol.asyncIterator]()
      return pageOf(rejections)
    },
    close: async () => load?.close(),
    end: close,
  }
  const caller: Peer<CallerMethods> = peer(channel, methods)
}

async function pageOf(rejections: AsyncIterator<Rejection>): Promise<Rejection[]> {
  const page: Rejection[] = []
  for (let length = 0; page.length < PAGE && length < PAGE_LENGTH; ) {
    const next = await rejections.next()
    if (next.done) break
    page.push(next.value)
    length += next.value.raw?.length ?? 0
  }
  return page
}
