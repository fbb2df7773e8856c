import { isAnswered } from '../../../core/calls/completed-call.ts'
import type { CallId, CallMarks, IdentifiedCall, KnownCall, StoredCall } from '../../../core/calls/identity.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import { andTogether } from './spread.ts'

/**
 * Separates an id from a name. It sorts before every character of an id, so one range finds the keys of all switches.
 */
const BEFORE_NAME = '\t'
const AFTER_NAMES = '\n'

/** The key of a stored call: the switch's id for it, followed by the switch's name where known. */
export const keyOf = ({ switchCallId, switchName }: Pick<IdentifiedCall, 'switchCallId' | 'switchName'>): string =>
  switchName ? switchCallId + BEFORE_NAME + switchName : switchCallId

/** SQL for the parts of the key in that column. */
export const partsOfKey = (column: string): { readonly id: string; readonly switchName: string } => ({
  id: `split_part(${column}, chr(${BEFORE_NAME.charCodeAt(0)}), 1)`,
  switchName: `nullif(split_part(${column}, chr(${BEFORE_NAME.charCodeAt(0)}), 2), '')`,
})

/** Separates a channel's id from what distinguishes its attempts, and the next character. */
const BEFORE_ATTEMPT = '/'
const AFTER_ATTEMPTS = '0'

/** The id of the call if it differs from its channel's id, which begins the key. */
export const linkedIdOf = ({ attempt }: KnownCall): string | null =>
  attempt && attempt.callId !== attempt.channelId ? attempt.callId : null

interface KeyRow extends CallMarks {
  readonly place: number
  readonly cdrId: number
  readonly key: string
  readonly linkedId: string | null
  readonly disposition: string
}

/** Where to look for stored calls that match a call: a range of keys, and a linked id. */
interface Look {
  readonly place: number
  readonly source: string
  readonly low: string
  readonly high: string
  readonly linked: string | null
}

function looksFor({ source, switchCallId, attempt }: CallId, place: number): Look[] {
  if (!attempt) return [{ place, source, low: switchCallId, high: switchCallId + AFTER_NAMES, linked: null }]
  return [...new Set([attempt.channelId, attempt.callId])].map(id => ({
    ...{ place, source, low: id + BEFORE_ATTEMPT, high: id + AFTER_ATTEMPTS },
    linked: id,
  }))
}

/** Each look is a subquery of its own, so that no plan reads all ratings, however few the server takes them for. */
const COLUMNS = 'FROM cdr_ratings WHERE source = q.source'
const IN_RANGE = `${COLUMNS}
  AND call_key(switch_call_id) >= left(q.low, 200) COLLATE "C" AND call_key(switch_call_id) <= left(q.high, 200) COLLATE "C" || chr(1114111)
  AND switch_call_id >= q.low COLLATE "C" AND switch_call_id < q.high COLLATE "C"`
const LINKED = `${COLUMNS} AND left(linked_id, 200) = left(q.linked, 200) AND linked_id = q.linked`

/** A cluster takes no subqueries with an offset here, and looks on each node for all. */
function looksOf({ spread }: Queries): string {
  const [columns, end] = spread ? [', bucket', ''] : ['', ' OFFSET 0']
  return [IN_RANGE, LINKED]
    .map(look => `(SELECT cdr_id, switch_call_id, linked_id${columns} ${look}${end})`)
    .join(' UNION ALL ')
}

/**
 * Finds stored calls that have the id of one of these calls from the same kind of switch, or that are attempts of the
 * same call. Keys have any length; what an index holds of them begins with the first 200 characters.
 */
export async function storedCalls<T extends CallId>(
  queries: Queries,
  calls: readonly T[],
): Promise<(call: T) => readonly StoredCall[]> {
  const looks = calls.flatMap(looksFor)
  if (!(await isAnyStored(queries, looks))) return () => []
  const asked = sql`unnest(${looks.map(({ place }) => place)}::bigint[], ${looks.map(({ source }) => source)}::text[],
    ${looks.map(({ low }) => low)}::text[], ${looks.map(({ high }) => high)}::text[],
    ${looks.map(({ linked }) => linked)}::text[]) AS q(place, source, low, high, linked)`
  const rows = await queries.rows<KeyRow>(
    sql`SELECT DISTINCT q.place, r.cdr_id AS "cdrId", r.switch_call_id AS key, r.linked_id AS "linkedId",
        c.tenant_id, c.started_at, c.destination_number, c.disposition
      FROM ${asked} CROSS JOIN LATERAL (${raw(looksOf(queries))}) r
      JOIN cdrs c ON c.id = r.cdr_id${andTogether(queries, 'r', 'c')}`,
  )
  const found = new Map<T, StoredCall[]>()
  for (const row of rows) {
    const call = calls[row.place]
    if (call) found.set(call, [...(found.get(call) ?? []), storedCall(row)])
  }
  return call => found.get(call) ?? []
}

/** In UTF-16, which orders texts of them otherwise than by bytes. */
const SURROGATE = /[\ud800-\udfff]/

/**
 * Returns false if nothing stored lies between the first and the last key: switches often number calls in their order,
 * and one look is enough for new ones then.
 */
async function isAnyStored(queries: Queries, looks: readonly Look[]): Promise<boolean> {
  if (looks.some(({ low, high }) => SURROGATE.test(low) || SURROGATE.test(high))) return true
  const ends = new Map<string, Look>()
  for (const look of looks) {
    const { low, high, linked } = ends.get(look.source) ?? look
    ends.set(look.source, {
      ...look,
      low: look.low < low ? look.low : low,
      high: look.high > high ? look.high : high,
      linked: linked ?? look.linked,
    })
  }
  for (const { source, low, high, linked } of ends.values()) {
    const isAny = await queries.value<boolean>(sql`SELECT EXISTS (SELECT 1 FROM cdr_ratings WHERE source = ${source}
        AND call_key(switch_call_id) >= left(${low}, 200) COLLATE "C"
        AND call_key(switch_call_id) <= left(${high}, 200) COLLATE "C" || chr(1114111))
      OR (${linked !== null} AND EXISTS (SELECT 1 FROM cdr_ratings WHERE source = ${source} AND linked_id IS NOT NULL))`)
    if (isAny) return true
  }
  return false
}

function storedCall({ cdrId, key, linkedId, disposition, place: _, ...marks }: KeyRow): StoredCall {
  const [switchCallId = '', switchName = ''] = key.split(BEFORE_NAME)
  const channelId = switchCallId.slice(0, Math.max(0, switchCallId.lastIndexOf(BEFORE_ATTEMPT)))
  return {
    ...{ cdrId, switchCallId, switchName: switchName || null, marks },
    isAnswered: isAnswered({ disposition }),
    attempt: { channelId, callId: linkedId ?? channelId },
  }
}
