import { columnFields, isWallClock } from './fields.ts'
import { dispositionOf } from './freeswitch.ts'
import type { Parser } from './parser.ts'

const COLUMNS = [
  ...['caller_id_name', 'caller_id_number', 'destination_number', 'context'],
  ...['start_stamp', 'answer_stamp', 'end_stamp', 'duration', 'billsec', 'hangup_cause'],
  ...['uuid', 'bleg_uuid', 'accountcode', 'read_codec', 'write_codec'],
]
const START = COLUMNS.indexOf('start_stamp')
const BETWEEN = /", ?"/

/** Column counts of the templates: `example`, the built-in one, and two that append to the first. */
const WIDTHS = [15, 13, 17, 20]

/** Rows of `mod_cdr_csv` in its template `example` or the built-in one. */
export const parseFreeswitchCsv: Parser = record => {
  const values = columns(record)
  if (!values)
    return { reason: `is no row of ${WIDTHS.slice(0, 2).join(' or ')} quoted columns: it may have been torn` }
  const row = columnFields(COLUMNS, values)
  const answeredAt = row.optionalMoment('answer_stamp')
  // `billsec` is the difference of two clock readings, so a call of less than a second has 0 as often as 1.
  const answeredSeconds = Math.max(row.seconds('billsec'), answeredAt ? 1 : 0)
  return row.finish({
    source: 'freeswitch-csv',
    switchCallId: row.required('uuid'),
    part: null,
    accountcode: row.text('accountcode'),
    context: row.text('context'),
    callerNumber: row.text('caller_id_number'),
    destinationNumber: row.text('destination_number'),
    direction: null,
    leg: 'a',
    startedAt: row.moment('start_stamp'),
    answeredAt,
    endedAt: row.optionalMoment('end_stamp'),
    answeredSeconds,
    durationSeconds: row.seconds('duration'),
    disposition: dispositionOf(row.required('hangup_cause'), answeredSeconds),
    raw: record,
  })
}

/**
 * Quotes in the caller's name are not escaped, so the name can look like several columns. No other column is free
 * text: counted from the right, the three dates must stand in their places.
 */
function columns(record: string): string[] | null {
  const text = record.trim()
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return null
  const parts = text.slice(1, -1).split(text.includes('", "') ? BETWEEN : '","')
  const surplus = WIDTHS.map(width => parts.length - width).filter(count => count >= 0)
  const inName = surplus.find(count => hasStamps(parts.slice(count + START))) ?? surplus.find(count => count === 0)
  if (inName === undefined) return null
  const others = parts.slice(inName + 1)
  return others.some(part => part.includes('"')) ? null : [parts.slice(0, inName + 1).join('","'), ...others]
}

const hasStamps = ([start = '', answer = '', end = '']: string[]): boolean =>
  isWallClock(start) && (answer === '' || isWallClock(answer)) && isWallClock(end)
