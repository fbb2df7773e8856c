import type { CompletedCall, SwitchMoment, UnreadableRecord } from '../../../core/calls/completed-call.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { fields, quoted } from './fields.ts'
import { dispositionOf } from './freeswitch.ts'
import { parseJsonObject } from './json-object.ts'
import type { Parser } from './parser.ts'

/** Encoding leaves none of these, and without it some variable always has one: the blank in `start_stamp`. */
const UNENCODED = /[ :"<>@[\]]/
const MICROS = /^\d{1,16}$/

/** One document of `mod_json_cdr`, its variables URL-encoded or not. */
export const parseFreeswitchJson: Parser = record => {
  const document = parseJsonObject(record)
  if ('reason' in document) return document
  const { variables, callflow } = document.object
  if (!isJsonObject(variables)) return { reason: 'has no member "variables"' }
  const newest = member({ callflow: Array.isArray(callflow) ? callflow[0] : callflow }, 'callflow')
  return completedCall(reader(variables), newest, record)
}

function completedCall(
  variable: (name: string) => string,
  callflow: JsonObject,
  raw: string,
): CompletedCall | UnreadableRecord {
  const profile = member(callflow, 'caller_profile')
  const times = member(callflow, 'times')
  const call = fields(variable, name => `variable ${name}`)
  const startedAt = moment(times, 'created_time', variable('start_uepoch'), variable('start_epoch'))
  const answeredAt = moment(times, 'answered_time', variable('answer_uepoch'), variable('answer_epoch'))
  if (!startedAt) call.problem('start_uepoch', `is no time in microseconds: ${quoted(variable('start_uepoch'))}`)
  const answeredSeconds = call.seconds('billsec')
  const said = variable('call_direction')
  return call.finish({
    source: 'freeswitch-json',
    switchCallId: call.required('uuid'),
    accountcode: variable('accountcode'),
    context: text(profile, 'context'),
    callerNumber: text(profile, 'caller_id_number') || variable('caller_id_number'),
    destinationNumber: text(profile, 'destination_number') || variable('destination_number'),
    direction: said === 'inbound' || said === 'outbound' ? said : null,
    leg: 'originator' in profile ? 'b' : 'a',
    startedAt: startedAt ?? { epochMicros: 0 },
    answeredAt,
    endedAt: moment(times, 'hangup_time', variable('end_uepoch'), variable('end_epoch')),
    answeredSeconds,
    durationSeconds: call.seconds('duration'),
    disposition: dispositionOf(call.required('hangup_cause'), answeredSeconds),
    raw,
  })
}

/** The first of these that is given and not 0, which means never. */
function moment(times: JsonObject, name: string, micros: string, seconds: string): SwitchMoment | null {
  const told = [micros, text(times, name), seconds === '' ? '' : `${seconds}000000`]
  const first = told.find(each => MICROS.test(each) && Number(each) > 0)
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
