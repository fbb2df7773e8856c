import type { SwitchMoment } from '../../../core/calls/completed-call.ts'
import { parseDate } from '../../../core/dates.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type Fields, fields, quoted } from './fields.ts'
import { parseJsonObject } from './json-object.ts'
import type { Parser } from './parser.ts'

const ZONED = /^(?:19[7-9]|20\d|21\d)\d-\d\d-\d\d[Tt ].*(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/
const LONGEST_DISPOSITION = 50

/**
 * Trunkline's own format, for all other switches: one JSON object a line.
 *
 * Required: `id` (identical on each delivery of a call, and unique among the feeds with the same `switch` name, or
 * without one), `destination_number`, `started_at`, `answered_seconds`. Optional: `accountcode` (the tenant's slug),
 * `context`, `caller_number`, `direction` (`inbound` or `outbound`), `answered_at`, `ended_at`, `duration_seconds`
 * (including ringing; default: the answered seconds), `disposition` (default: `ANSWERED` if there are answered seconds,
 * else `NO ANSWER`). Times are `YYYY-MM-DD HH:MM:SS` by the feed's clock, or ISO 8601 with a zone. null counts as
 * absent; other members are ignored.
 */
export const parseNdjson: Parser = record => {
  const line = parseJsonObject(record)
  if ('reason' in line) return line
  const call = fields(textIn(line.object), name => `member ${name}`)
  const answeredSeconds = call.seconds('answered_seconds')
  const direction = directionIn(call)
  return call.finish({
    source: 'ndjson',
    switchCallId: call.required('id'),
    part: null,
    accountcode: call.text('accountcode'),
    context: call.text('context'),
    callerNumber: call.text('caller_number'),
    destinationNumber: call.required('destination_number'),
    direction,
    leg: 'a',
    startedAt: moment(call, 'started_at') ?? call.moment('started_at'),
    answeredAt: moment(call, 'answered_at') ?? call.optionalMoment('answered_at'),
    endedAt: moment(call, 'ended_at') ?? call.optionalMoment('ended_at'),
    answeredSeconds,
    durationSeconds: call.text('duration_seconds') === '' ? answeredSeconds : call.seconds('duration_seconds'),
    disposition: dispositionIn(call, answeredSeconds),
    raw: record,
  })
}

const textIn =
  (object: JsonObject) =>
  (name: string): string => {
    const value = Object.hasOwn(object, name) ? object[name] : null
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  }

/** Reads a moment with a zone; null without one. */
function moment(call: Fields, name: string): SwitchMoment | null {
  const text = call.text(name)
  const utc = ZONED.test(text) ? parseDate(text) : null
  return utc === null ? null : { epochMicros: Date.parse(`${utc.slice(0, 19)}Z`) * 1000 + Number(utc.slice(20, 26)) }
}

function directionIn(call: Fields): 'inbound' | 'outbound' | null {
  const text = call.text('direction')
  if (text === 'inbound' || text === 'outbound') return text
  if (text !== '') call.problem('direction', `is neither inbound nor outbound: ${quoted(text)}`)
  return null
}

function dispositionIn(call: Fields, answeredSeconds: number): string {
  const text = call.text('disposition').toUpperCase()
  if (text.length > LONGEST_DISPOSITION) call.problem('disposition', 'is longer than 50 characters')
  if (text !== '') return text
  return answeredSeconds > 0 ? 'ANSWERED' : 'NO ANSWER'
}
