import { addSeconds } from '../dates.ts'
import type { SwitchRecord } from '../ports/calls.ts'
import { FOREVER, type Period } from '../rating/period.ts'
import { type CompletedCall, isAnswered, type SourceFormat, switchOf, type UnreadableRecord } from './completed-call.ts'
import type { IdConflict, IdentifiedCall } from './identity.ts'
import { type Catalog, cdrOf, type FeedRules, type RatedRecord, slugOf } from './record-call.ts'
import type { SwitchClock } from './switch-time.ts'

/** A record that cannot be used, and why. */
export interface UnusableRecord {
  readonly format: SourceFormat
  readonly raw: string
  readonly reason: string
}

/** A call to be stored. */
export interface IncomingCall extends IdentifiedCall {
  readonly call: CompletedCall
  readonly record: RatedRecord
}

/** The records of one feed, sorted into calls and unusable ones, with the tenants' catalogs by slug that were used. */
export interface SortedRecords {
  readonly calls: readonly IncomingCall[]
  readonly unusable: readonly UnusableRecord[]
  /** The number of legs whose call has its own record. */
  readonly legs: number
  readonly catalogs: ReadonlyMap<string, Catalog | null>
}

const NO_TENANT = 'no account code, and no tenant is set for the feed or the context'

/**
 * Rates the calls among these records and sets aside the unusable ones. `catalogOf` finds a tenant's catalog by slug;
 * it returns null if there is no such tenant.
 */
export function sortRecords(
  records: readonly SwitchRecord[],
  rules: FeedRules,
  clock: SwitchClock,
  catalogOf: (slug: string) => Catalog | null,
): SortedRecords {
  const catalogs = new Map<string, Catalog | null>()
  const catalogFor = (slug: string): Catalog | null => {
    const catalog = catalogs.get(slug) ?? (catalogs.has(slug) ? null : catalogOf(slug))
    catalogs.set(slug, catalog)
    return catalog
  }
  const rated = (call: CompletedCall): RatedRecord | UnreadableRecord => {
    if (call.switchCallId.includes('\0')) return { reason: 'the id of the call contains the character NUL' }
    const slug = slugOf(call, rules)
    if (slug === null) return { reason: NO_TENANT }
    const catalog = catalogFor(slug)
    return catalog ? cdrOf(call, catalog, clock) : { reason: `there is no tenant ${JSON.stringify(slug)}` }
  }
  const calls: IncomingCall[] = []
  const unusable: UnusableRecord[] = []
  let legs = 0
  for (const each of records) {
    if ('reason' in each) unusable.push(each)
    else if (each.call.leg === 'b') legs++
    else {
      const { call } = each
      const record = rated(call)
      if ('reason' in record) unusable.push({ format: call.source, raw: call.raw, reason: record.reason })
      else calls.push(incoming(call, record, rules))
    }
  }
  return { calls, unusable, legs, catalogs }
}

const incoming = (call: CompletedCall, record: RatedRecord, { switchName }: FeedRules): IncomingCall => ({
  call,
  record,
  source: switchOf(call.source),
  switchCallId: call.switchCallId,
  switchName: switchName || null,
  marks: record.values,
  isAnswered: isAnswered(call),
  attempt: call.part,
})

/** Returns the period from the first call's start to one second past the last one's. */
export function periodOf(records: readonly SwitchRecord[], clock: SwitchClock): Period {
  const starts = records.flatMap(record => ('call' in record ? (clock(record.call.startedAt) ?? []) : [])).sort()
  const [first = FOREVER.to] = starts
  return { from: first, to: addSeconds(starts.at(-1) ?? first, 1) }
}

/** Returns why a call with the id of a different call is set aside. */
export const unusableBecause = ({ call: { call, switchCallId }, rival }: IdConflict<IncomingCall>): UnusableRecord => ({
  format: call.source,
  raw: call.raw,
  reason:
    `another call, to ${rival.destination_number} at ${rival.started_at}, has its id ${JSON.stringify(switchCallId)}: ` +
    'if this one is of another switch, name that by "switch" in the feed\'s settings, or by --switch',
})
