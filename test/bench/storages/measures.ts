import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import { addSeconds } from '../../../core/dates.ts'
import { packed } from '../../../core/packed-records.ts'
import type { BulkRecord } from '../../../core/ports/bulk.ts'
import type { PageQuery } from '../../../core/ports/records.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { writeSwitchCalls } from '../call-files.ts'
import { FULL_SIZE, seeded } from '../dataset.ts'
import { median } from '../figures.ts'
import { CONNECTIONS } from '../rows/row.ts'
import type { Measured } from './pair.ts'

export interface Setting {
  readonly cdrs: number
  readonly seconds: number
  readonly folder: string
}

export interface Measure {
  readonly what: string
  /** rate: a figure a second; time: milliseconds. */
  readonly kind: 'rate' | 'time'
  /** The least ratio of the rates, or the most of the times, PostgreSQL's to SQLite's. */
  readonly goal: number
  /** The goal is PostgreSQL's own rate. */
  readonly isAbsolute?: true
  /** Writes so much that one round is enough. */
  readonly isOnce?: true
  run(storage: Measured, setting: Setting): Promise<number>
}

/** Repeats work on several connections; returns how often a second it was done. */
async function repeated(seconds: number, connections: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const started = performance.now()
  const end = started + seconds * 1000
  let count = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) await work(count++)
    }),
  )
  return (count * 1000) / (performance.now() - started)
}

const callAt = (n: number, random: (below: number) => number) => {
  const extension = random(FULL_SIZE.extensions)
  const started = addSeconds('2026-10-01T00:00:00.000000Z', n % 2_000_000)
  return {
    tenant_id: 1 + (extension % FULL_SIZE.tenants),
    extension_id: extension + 1,
    caller_number: String(1000 + Math.floor(extension / FULL_SIZE.tenants)),
    destination_number: `+380${1_000_000 + random(9_000_000)}`,
    direction: n % 4 ? 'outbound' : 'inbound',
    disposition: 'ANSWERED',
    duration_seconds: 61,
    bill_seconds: 66,
    cost: random(90_000),
    started_at: started,
    ended_at: addSeconds(started, 61),
  }
}

async function listed({ records }: Measured, query: PageQuery): Promise<number> {
  let count = 0
  for await (const page of records.list(cdrs, query)) count += page.count
  return count
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const NEEDLES = 30

const search = (what: string, digits: number, goal: number, limit?: number): Measure => ({
  ...{ what, kind: 'time', goal },
  run: async storage => {
    const random = seeded(digits)
    const times: number[] = []
    for (let n = 0; n < NEEDLES; n++) {
      const needle = String(10 ** (digits - 1) + random(9 * 10 ** (digits - 1)))
      const query = { view: 'list', search: needle, ...(limit === undefined ? {} : { limit }) } as const
      times.push(await timed(() => listed(storage, query)))
    }
    return median(times)
  },
})

/** A million by default: as many as there are records. */
const IMPORTED_AT_ONCE = 2_000

const imported: Measure = {
  ...{ what: 'import of as many calls', kind: 'time', goal: 2, isOnce: true },
  run: async ({ bulk }, { cdrs: count }) => {
    const columns = Object.keys(cdrs.fields)
    const random = seeded(11)
    const recordAt = (row: number): BulkRecord => {
      const values: Readonly<Record<string, string | number>> = callAt(row, random)
      return { row, line: row + 2, raw: null, values: columns.map(name => values[name] ?? null) }
    }
    const pieces = Array.from({ length: Math.ceil(count / IMPORTED_AT_ONCE) }, (_, piece) =>
      packed(Array.from({ length: IMPORTED_AT_ONCE }, (__, n) => recordAt(piece * IMPORTED_AT_ONCE + n))),
    )
    const load = bulk.load({
      ...{ resource: cdrs, columns, constants: {}, isSparse: false, mode: 'insert', onRejection: 'store nothing' },
      ...{ allowDuplicates: false, formerMark: null, before: await bulk.lastId(cdrs) },
    })
    const place = (mark: number) => () => ({ input: 'bench', mark: String(mark) })
    const took = await timed(async () => {
      let waiting = 0
      for (const [index, piece] of pieces.entries()) {
        await load.add([piece])
        waiting += piece.count
        if (waiting < load.batchSize) continue
        waiting = 0
        await load.store(place(index))
      }
      await load.store(place(pieces.length))
    })
    await load.close()
    return took
  },
}

const ingested: Measure = {
  ...{ what: 'rated ingest of a fifth as many calls', kind: 'rate', goal: 20_000, isAbsolute: true, isOnce: true },
  run: async ({ calls }, { cdrs: all, folder }) => {
    const count = Math.ceil(all / 5)
    const file = join(folder, 'Master.csv')
    await writeSwitchCalls(file, count)
    const feed = { name: file, rules: { timezone: 'UTC', contexts: {}, tenant: null } }
    const took = await timed(() => ingest(file, { feed, format: 'auto' }, calls))
    rmSync(file)
    return (count * 1000) / took
  },
}

/** What writes comes last, so that it does not slow the reads of later measures. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  get: {
    ...{ what: `GET of a CDR with its tenant and extension, ${CONNECTIONS} at once`, kind: 'rate', goal: 1 },
    run: ({ records }, { cdrs: count, seconds }) => {
      const random = seeded(3)
      return repeated(seconds, CONNECTIONS, () => records.show(cdrs, 1 + random(count)))
    },
  },
  list: {
    ...{ what: 'list of the newest 1,000 CDRs', kind: 'rate', goal: 0.4 },
    run: (storage, { seconds }) => repeated(seconds, 4, () => listed(storage, { view: 'list', limit: 1_000 })),
  },
  stream: {
    ...{ what: 'list of all CDRs, in rows', kind: 'rate', goal: 0.8 },
    run: async (storage, { cdrs: count }) => (count * 1000) / (await timed(() => listed(storage, { view: 'list' }))),
  },
  search: search('search for 4 digits, every match (p50)', 4, 2),
  newest: search('search for 4 digits, newest 100 (p50)', 4, 2, 100),
  search7: search('search for 7 digits, every match (p50)', 7, 2),
  post: {
    ...{ what: `durable POST of a CDR with its audit entry, ${CONNECTIONS} at once`, kind: 'rate', goal: 1.5 },
    run: ({ records }, { seconds }) => {
      const random = seeded(5)
      return repeated(seconds, CONNECTIONS, n => records.insert(cdrs, callAt(n, random)))
    },
  },
  ingest: ingested,
  import: imported,
}
