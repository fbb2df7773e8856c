import type { SourceFormat } from '../../calls/completed-call.ts'
import { invalid } from '../../errors.ts'
import type { Calls, Quarantined, Retry, SwitchRecord } from '../../ports/calls.ts'
import { Problem } from '../../resources/field.ts'
import { broken } from '../../resources/values/field-errors.ts'

export interface QuarantinePorts {
  readonly calls: Pick<Calls, 'quarantine' | 'replay' | 'discard'>
  readonly readRecord: (format: SourceFormat, raw: string) => SwitchRecord
}

/** The most records, and about the most characters, to retry or discard in one transaction. */
const AT_ONCE = 200
const LENGTH_AT_ONCE = 4 * 1024 * 1024

export interface QuarantineFilter {
  /** Part of their reason. */
  readonly reason?: string
  readonly feed?: string
  /** Default: all. */
  readonly ids?: ReadonlySet<number>
}

export const isMeant = (
  { id, reason, feed }: Pick<Quarantined, 'id' | 'reason' | 'feed'>,
  filter: QuarantineFilter,
): boolean =>
  reason.includes(filter.reason ?? '') &&
  (filter.feed === undefined || feed === filter.feed) &&
  (filter.ids?.has(id) ?? true)

/** The records in quarantine that fit, the oldest first. */
export async function* quarantined(
  { calls }: Pick<QuarantinePorts, 'calls'>,
  filter: QuarantineFilter,
): AsyncIterable<Quarantined> {
  for await (const each of calls.quarantine()) if (isMeant(each, filter)) yield each
}

/** Retries records whose causes may be gone, by the feed rules as they are now. */
export async function replay(
  ports: QuarantinePorts,
  filter: QuarantineFilter = {},
  rulesOf: (each: Quarantined) => Quarantined['rules'] = ({ rules }) => rules,
): Promise<{ readonly replayed: number; readonly left: number }> {
  const totals = { replayed: 0, left: 0 }
  let waiting: Retry[] = []
  let length = 0
  const tryAll = async (): Promise<void> => {
    if (waiting.length === 0) return
    const replayed = await ports.calls.replay(waiting)
    totals.replayed += replayed
    totals.left += waiting.length - replayed
    waiting = []
    length = 0
  }
  for await (const each of quarantined(ports, filter)) {
    waiting.push({ quarantined: { ...each, rules: rulesOf(each) }, record: ports.readRecord(each.format, each.record) })
    length += each.record.length
    if (waiting.length === AT_ONCE || length >= LENGTH_AT_ONCE) await tryAll()
  }
  await tryAll()
  return totals
}

/** Deletes records for good; returns how many. */
export async function discard({ calls }: Pick<QuarantinePorts, 'calls'>, ids: readonly number[]): Promise<number> {
  let discarded = 0
  for (let at = 0; at < ids.length; at += AT_ONCE) discarded += await calls.discard(ids.slice(at, at + AT_ONCE))
  return discarded
}

/** Reads the ids in a request. Throws `invalid`. */
export function idsIn(value: unknown): number[] {
  if (Array.isArray(value) && value.length <= 1_000 && value.every(id => Number.isSafeInteger(id) && id > 0))
    return value
  throw invalid([broken('ids', new Problem('format', 'must be an array of at most 1000 ids'))])
}
