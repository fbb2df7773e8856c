import type { CompletedCall, SourceFormat } from '../../core/rating/completed-call.ts'
import { type FeedRules, type RatedRecord, switchOf } from '../../core/rating/record-call.ts'
import { type CallMarks, isSameCall } from '../../core/rating/same-call.ts'
import type { Connection } from './database.ts'

/** A record that cannot be used, and why. */
export interface Unusable {
  readonly format: SourceFormat
  readonly raw: string
  readonly reason: string
}

/** A call to be stored, and what it is known by: its id, followed by the switch's name where the feed has one. */
export interface Ready {
  readonly call: CompletedCall
  readonly record: RatedRecord
  readonly source: string
  readonly key: string
}

interface Former extends CallMarks {
  readonly key: string
}

/** Between an id and a name. It sorts before whatever else ids are written with, so that one look finds every switch's. */
const BEFORE_NAME = '\t'
const AFTER_NAMES = '\n'

export const ready = (call: CompletedCall, record: RatedRecord, { switchName }: FeedRules): Ready => ({
  ...{ call, record },
  source: switchOf(call.source),
  key: switchName === undefined ? call.switchCallId : call.switchCallId + BEFORE_NAME + switchName,
})

/**
 * Parts the calls that are new from those that are stored, or come twice, and from those that have the id of another
 * call. A call without its switch's name is the same as one with it, should they agree: a feed may be given its name
 * later, and its file taken in without. Runs in the write transaction.
 */
export function identifier({ query }: Connection) {
  const stored = query<[string, string, string], Former>(
    `SELECT r.switch_call_id AS key, c.tenant_id, c.started_at, c.destination_number
     FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id
     WHERE r.source = ? AND r.switch_call_id >= ? AND r.switch_call_id < ?`,
  )
  return (calls: readonly Ready[]): { fresh: readonly Ready[]; conflicts: readonly Unusable[] } => {
    const fresh = new Map<string, Ready>()
    const conflicts: Unusable[] = []
    for (const each of calls) {
      const { source, key, call, record } = each
      const { switchCallId } = call
      const earlier = fresh.get(`${source}\0${key}`)
      const others = stored.all(source, switchCallId, switchCallId + AFTER_NAMES)
      if (earlier) others.push({ key, ...earlier.record.values })
      const mayBeOne = (other: Former): boolean =>
        other.key === key || other.key === switchCallId || key === switchCallId
      if (others.some(other => mayBeOne(other) && isSameCall(other, record.values))) continue
      const rival = others.find(other => other.key === key)
      if (rival) conflicts.push({ format: call.source, raw: call.raw, reason: conflict(switchCallId, rival) })
      else fresh.set(`${source}\0${key}`, each)
    }
    return { fresh: [...fresh.values()], conflicts }
  }
}

const conflict = (id: string, { destination_number, started_at }: Former): string =>
  `another call, to ${destination_number} at ${started_at}, has its id ${JSON.stringify(id)}: if this one is of ` +
  'another switch, name that by "switch" in the feed\'s settings, or by --switch'
