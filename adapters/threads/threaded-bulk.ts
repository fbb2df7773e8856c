import type { Worker } from 'node:worker_threads'
import { countOf } from '../../core/packed-records.ts'
import type { Bulk, BulkLoad, BulkPlan, PlaceOf } from '../../core/ports/bulk.ts'
import { NO_COUNTS } from '../../core/transfer/imported-resource.ts'
import { onDemand } from './on-demand.ts'
import type { Peer } from './peer.ts'
import type { BulkMethods, CallerMethods } from './serve-bulk.ts'

/**
 * Stores many records on a thread with its own connection, while this thread reads and checks the next ones. Stores a
 * few records here: they are not worth a thread.
 */
export interface ThreadedBulk {
  readonly bulk: Bulk
  /** Starts the thread, which takes as long as reading thousands of records. */
  prepare(): void
  /** Ends the thread, if there is one. */
  close(): Promise<void>
}

const FIRST_BATCH = 500
/** If that much is added at first, more will follow. */
const MANY = FIRST_BATCH / 2
/** The number of records to read while the thread starts. */
const MORE = 10_000

/** `start` starts a thread that answers as `serveBulk` does. One load at a time. */
export function threadedBulk(here: Bulk, start: () => Worker): ThreadedBulk {
  let placeOf: PlaceOf | null = null
  const ours: CallerMethods = {
    place: async (counts, rejections) => {
      if (!placeOf) throw new Error('A place is asked for while nothing is stored.')
      return placeOf(counts, rejections)
    },
  }
  const thread = onDemand<BulkMethods>(start, ({ call }) => call('end'), ours)
  const load = (plan: BulkPlan): BulkLoad => {
    let chosen: BulkLoad | null = null
    const choose = (records: number): BulkLoad => {
      chosen ??= records < MANY ? here.load(plan) : remoteLoad(thread.peer(), plan, asked => (placeOf = asked))
      return chosen
    }
    return {
      get batchSize() {
        return chosen?.batchSize ?? FIRST_BATCH
      },
      add: records => choose(countOf(records)).add(records),
      check: () => choose(0).check(),
      store: (place, approved) => choose(0).store(place, approved),
      rejections: () => choose(0).rejections(),
      close: async () => chosen?.close(),
    }
  }
  return {
    bulk: { ...here, load },
    prepare: () => {
      thread.peer()
    },
    close: thread.close,
  }
}

function remoteLoad({ call }: Peer<BulkMethods>, plan: BulkPlan, ask: (placeOf: PlaceOf) => void): BulkLoad {
  let batchSize = MORE
  let created = 0
  let opened: Promise<unknown> = call('open', { ...plan, resource: plan.resource.name }).then(size => {
    batchSize = size
  })
  return {
    get batchSize() {
      return batchSize
    },
    add: async records => {
      created += countOf(records)
      await opened
      await call('add', records)
    },
    check: () => call('check'),
    store: async (placeOf, approved) => {
      ask(placeOf)
      const all = { ...NO_COUNTS, created }
      created = 0
      // Records added from now on belong to the next batch, and wait until this one is on its way.
      const place = Promise.resolve(placeOf(all, []))
      opened = place
      const counted = await call('store', await place, approved)
      batchSize = counted.batchSize
      return counted
    },
    rejections: async function* () {
      for (let page = await call('rejections', true); page.length > 0; page = await call('rejections', false))
        yield* page
    },
    close: () => call('close'),
  }
}
