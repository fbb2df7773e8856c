import { createHash } from 'node:crypto'
import {
  ANSWERED,
  type CallPart,
  type CompletedCall,
  type SourceFormat,
  type UnreadableRecord,
} from '../../../core/calls/completed-call.ts'
import { csvColumns } from './csv-columns.ts'
import { columnFields, type Fields, quoted } from './fields.ts'
import type { Parser } from './parser.ts'

const DISPOSITIONS = new Map([
  ['ANSWERED', 'ANSWERED'],
  ['NO ANSWER', 'NO ANSWER'],
  ['BUSY', 'BUSY'],
  ['FAILED', 'FAILED'],
  ['CONGESTION', 'CONGESTION'],
  ['CANCEL', 'CANCELLED'],
  ['UNKNOWN', 'UNKNOWN'],
])

/** Returns a parser of Asterisk's rows with these columns; the last ones may be missing, down to each of `widths`. */
export function asteriskParser(source: SourceFormat, columns: readonly string[], widths: readonly number[]): Parser {
  return record => {
    const values = csvColumns(record)
    if (!values) return { reason: 'the quotes of the row do not fit together: it may have been torn' }
    if (!widths.includes(values.length)) return { reason: `has ${values.length} columns, not ${widths.join(', ')}` }
    return completedCall(source, columnFields(columns, values), record)
  }
}

function completedCall(source: SourceFormat, row: Fields, raw: string): CompletedCall | UnreadableRecord {
  const disposition = DISPOSITIONS.get(row.text('disposition'))
  const phone = phoneSentOn(row)
  const billed = lineIn(row, 'channel', '2')
  if (disposition === undefined) row.problem('disposition', `is not known: ${quoted(row.text('disposition'))}`)
  return row.finish({
    source,
    switchCallId: switchCallId(row),
    part: partOf(row),
    accountcode: row.text('accountcode'),
    context: row.text('dcontext'),
    callerNumber: billed ?? row.text('src'),
    destinationNumber: phone ?? row.text('dst'),
    direction: phone !== null || ENDS_INSIDE.includes(row.text('lastapp')) ? 'inbound' : null,
    ...(billed === null ? {} : { isCarriers: true }),
    leg: belongsToAnother(row) ? 'b' : 'a',
    startedAt: row.moment('start'),
    answeredAt: row.optionalMoment('answer'),
    endedAt: row.optionalMoment('end'),
    answeredSeconds: answeredSeconds(row, disposition),
    durationSeconds: row.seconds('duration'),
    disposition: disposition ?? 'UNKNOWN',
    raw,
  })
}

/**
 * Asterisk writes 0 for less than half a second, or less than a whole one without `initiatedseconds`. A call out through
 * our dialplan, which the carrier bills, is a second then; what another dialplan answers without billing it stays free.
 */
const answeredSeconds = (row: Fields, disposition: string | undefined): number =>
  Math.max(row.seconds('billsec'), disposition === ANSWERED && lineIn(row, 'channel', '2') !== null ? 1 : 0)

/**
 * The contexts of our dialplan where a transfer ends that is refused, or that goes nowhere: the transferred call has its
 * own record.
 */
const REFUSED = 'tl-refused'
const LEAVE = 'leave-'

/**
 * The name of a line: a Local channel of our dialplan, through which a call goes out, with the extension that the call is
 * billed to. The row of its second half is the call's, to the second, however often the first half is transferred.
 */
const LINE = /^Local\/([+*#0-9]+)@(.+)-[0-9a-f]{8,};([12])$/

/** Returns the extension of the line that the row names there, if it is that half of one; null otherwise. */
function lineIn(row: Fields, name: 'channel' | 'dstchannel', wanted: '1' | '2'): string | null {
  const [, extension = null, context, half] = LINE.exec(row.text(name)) ?? []
  return half === wanted && context === `line-${row.text('accountcode')}` ? extension : null
}

/** True for a row of a call that has its own: of whoever talks on a line, and of a transfer that failed. */
function belongsToAnother(row: Fields): boolean {
  if (lineIn(row, 'dstchannel', '1') !== null) return true
  if (lineIn(row, 'channel', '1') !== null && row.text('dst') === '') return true
  const context = row.text('dcontext')
  return row.text('dstchannel') === '' && (context === REFUSED || context === LEAVE + row.text('accountcode'))
}

/**
 * Returns the number of the phone that a call has reached and that has transferred it since: Asterisk may write the number
 * that it was transferred to into this row, though another row is for that call. Null for other rows.
 */
function phoneSentOn(row: Fields): string | null {
  const [account, context] = [row.text('accountcode'), row.text('dcontext')]
  const isOfOurs = context === REFUSED || (account !== '' && context.includes(`-${account}`))
  const isInPlace = context === `inside-${account}` || context === `did-${account}`
  const phones = `PJSIP/${account}-`
  const [caller, reached] = [row.text('channel'), row.text('dstchannel')]
  const isCaller = [phones, 'PJSIP/_'].some(each => caller.startsWith(each)) || lineIn(row, 'channel', '1') !== null
  if (!isOfOurs || isInPlace || !isCaller || !reached.startsWith(phones)) return null
  return /^([0-9*#+]+)-[0-9a-f]{8,}$/.exec(reached.slice(phones.length))?.[1] ?? null
}

/** Applications that end a call inside the switch. */
const ENDS_INSIDE = ['Queue', 'VoiceMail', 'VoiceMailMain']

/** Present, and the same, in every form of a row. */
const SHARED = [
  ...['accountcode', 'src', 'dst', 'dcontext', 'clid', 'channel', 'dstchannel', 'lastapp', 'lastdata'],
  ...['start', 'answer', 'end', 'duration', 'billsec', 'disposition'],
]

/** Several rows can share a uniqueid, so without a sequence the row's values distinguish them. */
function switchCallId(row: Fields): string {
  const [uniqueid, sequence] = [row.text('uniqueid'), row.text('sequence')]
  if (uniqueid !== '' && sequence !== '') return `${uniqueid}/${sequence}`
  const hash = createHash('sha256')
    .update(JSON.stringify(SHARED.map(row.text)))
    .digest('hex')
    .slice(0, 32)
  return uniqueid === '' ? hash : `${uniqueid}/${hash}`
}

/** Asterisk writes a row for each phone and carrier that a channel calls, and names the call by its first channel. */
function partOf(row: Fields): CallPart | null {
  const channelId = row.text('uniqueid')
  return channelId === '' ? null : { channelId, callId: row.text('linkedid') || channelId }
}
