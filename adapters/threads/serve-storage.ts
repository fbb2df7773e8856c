import type {
  Bulk,
  BulkCounts,
  BulkLoad,
  BulkPlan,
  BulkRecord,
  Calls,
  ImportPlace,
  Rejection,
} from '../../core/ports.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { type Channel, type Peer, peer } from './peer.ts'

/** A plan as it is passed between threads: a resource by its name. */
type PlainPlan = Omit<BulkPlan, 'resource'> & { readonly resource: string }

/** Records as they are passed: arrays cost half of what objects do. */
export interface PlainRecords {
  readonly rows: readonly number[]
  readonly lines: readonly number[]
  readonly raws: readonly (string | null)[]
  readonly values: readonly BulkRecord['values'][]
}

export type Counted = BulkCounts & { readonly batchSize: number }

/** What the thread with the storage lets be called. One load at a time. */
export type StorageMethods = {
  openLoad(plan: PlainPlan): number
  add(records: PlainRecords): Promise<void>
  check(): Promise<BulkCounts>
  store(): Promise<Counted>
  rejections(isFirst: boolean): Promise<readonly Rejection[]>
  closeLoad(): Promise<void>
  calls: Calls['store']
  end(): Promise<void>
}

/** What it calls back. */
export type CallerMethods = {
  place(counts: BulkCounts, rejections: readonly Rejection[]): Promise<ImportPlace>
}

const PAGE = 500

interface Served {
  readonly bulk: Pick<Bulk, 'load'>
  readonly calls: Pick<Calls, 'store'>
  close(): Promise<void>
}

/** Answers calls from the channel with this storage, until `end` is called. */
export function serveStorage({ bulk, calls, close }: Served, channel: Channel): void {
  let load: BulkLoad | null = null
  let rejections: AsyncIterator<Rejection> | null = null
  const current = (): BulkLoad => {
    if (!load) throw new Error('No load is open.')
    return load
  }
  const methods: StorageMethods = {
    openLoad: plan => {
      load = bulk.load({ ...plan, resource: resourceNamed(plan.resource) })
      return load.batchSize
    },
    add: ({ rows, lines, raws, values }) =>
      current().add(
        values.map((each, i) => ({ row: rows[i] ?? 0, line: lines[i] ?? 0, raw: raws[i] ?? null, values: each })),
      ),
    check: () => current().check(),
    store: async () => {
      const counts = await current().store((...outcome) => caller.call('place', ...outcome))
      return { ...counts, batchSize: current().batchSize }
    },
    rejections: async isFirst => {
      if (isFirst || !rejections) rejections = current().rejections()[Symbol.asyncIterator]()
      const page: Rejection[] = []
      while (page.length < PAGE) {
        const next = await rejections.next()
        if (next.done) break
        page.push(next.value)
      }
      return page
    },
    closeLoad: () => current().close(),
    calls: calls.store,
    end: close,
  }
  const caller: Peer<CallerMethods> = peer(channel, methods)
}
