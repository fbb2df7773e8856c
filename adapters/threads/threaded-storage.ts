import type { Worker } from 'node:worker_threads'
import type { Bulk, BulkLoad, BulkPlan, Calls, PlaceOf } from '../../core/ports.ts'
import { type Peer, peer } from './peer.ts'
import type { CallerMethods, StorageMethods } from './serve-storage.ts'

/**
 * The ports for many records at once, with the storage on a thread of its own: while it stores, this one reads and
 * checks what comes next, or answers others. A few records are not worth a thread, and are stored here.
 */
export interface ThreadedStorage {
  readonly bulk: Bulk
  readonly calls: Calls
  /** Ends the thread, if there is one, once its pending writes are on disk. */
  close(): Promise<void>
}

/** What is added first, when it is that much, tells that more will follow. */
const FIRST_BATCH = 500
const MANY = FIRST_BATCH / 2

/** `start` starts a thread that answers as `serveStorage` does. */
export function threadedStorage(
  here: { readonly bulk: Bulk; readonly calls: Calls },
  start: () => Worker,
): ThreadedStorage {
  let there: { readonly thread: Worker; readonly peer: Peer<StorageMethods> } | null = null
  let placeOf: PlaceOf | null = null
  const connect = (): Peer<StorageMethods> => {
    if (there) return there.peer
    const thread = start()
    const ours: CallerMethods = {
      place: async (counts, rejections) => {
        if (!placeOf) throw new Error('A place is asked for while nothing is stored.')
        return placeOf(counts, rejections)
      },
    }
    there = { thread, peer: peer<StorageMethods>(thread, ours) }
    thread.on('error', there.peer.end)
    return there.peer
  }
  const load = (plan: BulkPlan): BulkLoad => {
    let chosen: BulkLoad | null = null
    const choose = (records: number): BulkLoad => {
      chosen ??= records < MANY ? here.bulk.load(plan) : remoteLoad(connect(), plan, asked => (placeOf = asked))
      return chosen
    }
    return {
      get batchSize() {
        return chosen?.batchSize ?? FIRST_BATCH
      },
      add: records => choose(records.length).add(records),
      check: () => choose(0).check(),
      store: place => choose(0).store(place),
      rejections: () => choose(0).rejections(),
      close: async () => chosen?.close(),
    }
  }
  return {
    bulk: { ...here.bulk, load },
    calls: {
      ...here.calls,
      store: (...given) =>
        there || given[1].length >= MANY ? connect().call('calls', ...given) : here.calls.store(...given),
    },
    close: async () => {
      try {
        await there?.peer.call('end')
      } finally {
        await there?.thread.terminate()
      }
    },
  }
}

function remoteLoad({ call }: Peer<StorageMethods>, plan: BulkPlan, ask: (placeOf: PlaceOf) => void): BulkLoad {
  let batchSize = FIRST_BATCH
  const opened = call('openLoad', { ...plan, resource: plan.resource.name })
  return {
    get batchSize() {
      return batchSize
    },
    add: async records => {
      batchSize = await opened
      await call('add', {
        rows: records.map(({ row }) => row),
        lines: records.map(({ line }) => line),
        raws: records.map(({ raw }) => raw),
        values: records.map(({ values }) => values),
      })
    },
    check: () => call('check'),
    store: async place => {
      ask(place)
      const counted = await call('store')
      batchSize = counted.batchSize
      return counted
    },
    rejections: async function* () {
      for (let page = await call('rejections', true); page.length > 0; page = await call('rejections', false))
        yield* page
    },
    close: () => call('closeLoad'),
  }
}
