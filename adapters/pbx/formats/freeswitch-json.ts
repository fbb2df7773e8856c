import {
  ANSWERED,
  type CompletedCall,
  type SwitchMoment,
  type UnreadableRecord,
} from '../../../core/calls/completed-call.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { type Fields, fields, quoted } from './fields.ts'
import { dispositionOf } from './freeswitch.ts'
import { parseJsonObject } from './json-object.ts'
import type { Parser } from './parser.ts'

/** An encoded document has none of these; an unencoded one always does, in the blank of `start_stamp`. */
const UNENCODED = /[ :"<>@[\]]/
const MICROS = /^\d{1,16}$/

/** A document of `mod_json_cdr`, with or without URL-encoded variables. */
export const parseFreeswitchJson: Parser = record => {
  const document = parseJsonObject(record)
  if ('reason' in document) return document
  const { variables, callflow } = document.object
  if (!isJsonObject(variables)) return { reason: 'has no member "variables"' }
  const flow = (Array.isArray(callflow) ? callflow : [callflow]).filter(isJsonObject)
  return completedCall(reader(variables), { newest: flow[0] ?? {}, first: flow.at(-1) ?? {} }, record)
}

/** A transferred call has one for each destination, newest first. */
interface Flow {
  readonly newest: JsonObject
  /** The one with the dialled number. */
  readonly first: JsonObject
}

function completedCall(
  variable: (name: string) => string,
  { newest, first }: Flow,
  raw: string,
): CompletedCall | UnreadableRecord {
  const profile = member(first, 'caller_profile')
  const times = member(newest, 'times')
  const call = fields(variable, name => `variable ${name}`)
  const startedAt = moment(times, 'created_time', variable('start_uepoch'), variable('start_epoch'))
  if (!startedAt) call.problem('start_uepoch', `is no time in microseconds: ${quoted(variable('start_uepoch'))}`)
  const answeredSeconds = secondsOf(call, 'billusec', 'billsec')
  const said = variable('call_direction')
  // Set by the dialplan on the leg to a carrier, which continues when a transfer drops the caller's own leg.
  const dialled = variable('trunkline_dialled')
  const isCarriers = dialled !== ''
  const cause = call.required('hangup_cause')
  return call.finish({
    source: 'freeswitch-json',
    switchCallId: call.required('uuid'),
    part: null,
    accountcode: variable('accountcode'),
    context: text(profile, 'context'),
    callerNumber: variable('trunkline_extension') || text(profile, 'caller_id_number') || variable('caller_id_number'),
    destinationNumber: dialled || text(profile, 'destination_number') || variable('destination_number'),
    direction: said === 'inbound' || said === 'outbound' ? said : null,
    ...(isCarriers ? { isCarriers } : {}),
    leg: !isCarriers && 'originator' in member(newest, 'caller_profile') ? 'b' : 'a',
    startedAt: startedAt ?? { epochMicros: 0 },
    answeredAt: moment(times, 'answered_time', variable('answer_uepoch'), variable('answer_epoch')),
    endedAt: moment(times, 'hangup_time', variable('end_uepoch'), variable('end_epoch')),
    answeredSeconds,
    durationSeconds: secondsOf(call, 'uduration', 'duration'),
    disposition: isCarriers && answeredSeconds > 0 ? ANSWERED : dispositionOf(cause, answeredSeconds),
    raw,
  })
}

/**
 * Reads the seconds of a member in microseconds, rounded up. Without it, reads the member in whole seconds, which is
 * the difference of two clock readings, and 0 for many calls of less than a second.
 */
function secondsOf(call: Fields, micros: string, whole: string): number {
  const exact = call.text(micros)
  return MICROS.test(exact) ? Math.ceil(Number(exact) / 1_000_000) : call.seconds(whole)
}

/** Returns the first of these that is given and not 0, which means never. */
function moment(times: JsonObject, name: string, micros: string, seconds: string): SwitchMoment | null {
  const candidates = [micros, text(times, name), seconds === '' ? '' : `${seconds}000000`]
  const first = candidates.find(each => MICROS.test(each) && Number(each) > 0)
  return first === undefined ? null : { epochMicros: Number(first) }
}

function reader(variables: JsonObject): (name: string) => string {
  const values = Object.keys(variables).map(name => text(variables, name))
  if (values.some(value => UNENCODED.test(value))) return name => text(variables, name)
  return name => percentDecoded(text(variables, name))
}

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const text = (object: JsonObject, name: string): string => {
  const value = object[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const member = (object: JsonObject, name: string): JsonObject => {
  const value = object[name]
  return isJsonObject(value) ? value : {}
}
