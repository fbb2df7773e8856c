import { type CompletedCall, type SourceFormat, switchOf } from '../../core/calls/completed-call.ts'
import type { FeedRules, RatedRecord } from '../../core/calls/record-call.ts'
import { type CallMarks, isSameCall } from '../../core/calls/same-call.ts'
import type { Connection } from './database.ts'

/** A record that cannot be used, and why. */
export interface Unusable {
  readonly format: SourceFormat
  readonly raw: string
  readonly reason: string
}

/** A call of a switch, by what it is known. */
export interface Identified {
  readonly source: string
  /** The switch's own id for it. */
  readonly switchCallId: string
  /** The id, followed by the switch's name where that is known. */
  readonly key: string
  readonly marks: CallMarks
}

/** A call to be stored. */
export interface Ready extends Identified {
  readonly call: CompletedCall
  readonly record: RatedRecord
}

interface Former extends CallMarks {
  readonly key: string
}

/** Between an id and a name. It sorts before whatever else ids are written with, so that one look finds every switch's. */
const BEFORE_NAME = '\t'
const AFTER_NAMES = '\n'

export const keyOf = (id: string, switchName: string | null | undefined): string =>
  switchName ? id + BEFORE_NAME + switchName : id

/** The parts of the key in that column, as SQL. */
export function partsOfKey(column: string): { readonly id: string; readonly switchName: string } {
  const end = `instr(${column} || char(${BEFORE_NAME.charCodeAt(0)}), char(${BEFORE_NAME.charCodeAt(0)}))`
  return { id: `substr(${column}, 1, ${end} - 1)`, switchName: `nullif(substr(${column}, ${end} + 1), '')` }
}

export const ready = (call: CompletedCall, record: RatedRecord, { switchName }: FeedRules): Ready => ({
  call,
  record,
  source: switchOf(call.source),
  switchCallId: call.switchCallId,
  key: keyOf(call.switchCallId, switchName),
  marks: record.values,
})

/** A call that has the id of another one. */
export interface Conflict<T extends Identified> {
  readonly call: T
  readonly rival: CallMarks
}

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
  return <T extends Identified>(
    calls: readonly T[],
  ): { readonly fresh: readonly T[]; readonly conflicts: readonly Conflict<T>[] } => {
    const fresh = new Map<string, T>()
    const conflicts: Conflict<T>[] = []
    for (const call of calls) {
      const { source, switchCallId: id, key, marks } = call
      const earlier = fresh.get(`${source}\0${key}`)
      const others = stored.all(source, id, id + AFTER_NAMES)
      if (earlier) others.push({ key, ...earlier.marks })
      const mayBeOne = (other: Former): boolean => other.key === key || other.key === id || key === id
      if (others.some(other => mayBeOne(other) && isSameCall(other, marks))) continue
      const rival = others.find(other => other.key === key)
      if (rival) conflicts.push({ call, rival })
      else fresh.set(`${source}\0${key}`, call)
    }
    return { fresh: [...fresh.values()], conflicts }
  }
}

export const conflicting = ({ call: { call, switchCallId }, rival }: Conflict<Ready>): Unusable => ({
  format: call.source,
  raw: call.raw,
  reason:
    `another call, to ${rival.destination_number} at ${rival.started_at}, has its id ${JSON.stringify(switchCallId)}: if this one is of ` +
    'another switch, name that by "switch" in the feed\'s settings, or by --switch',
})
