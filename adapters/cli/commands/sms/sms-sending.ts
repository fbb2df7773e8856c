import { setTimeout as pause } from 'node:timers/promises'
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../../../../core/json.ts'
import type { Json } from '../../../../core/ports/records.ts'
import type { Row } from '../../../../core/resources/resource.ts'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { wholeMessages } from '../../../../core/resources/sms-messages.ts'
import { STATUS_CLASSES, type StatusClass } from '../../../../core/sms/status-class.ts'
import { textForm } from '../../../../core/sms/text.ts'
import { type Context, type Services, say } from '../../context.ts'
import { CliError, EXIT, onEnding } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { resolve, spelling } from '../../naming/references.ts'
import type { Wiring } from '../../program.ts'
import { candidates, choose } from '../../terminal/ask.ts'
import { cell } from '../../terminal/json-values.ts'
import { coloured } from '../../terminal/styles.ts'
import { daemonState } from '../service/service-commands.ts'

/** Sends one message while a person watches. */

const POLL_MS = 250

export type Gateway = Row & { readonly id: number }

/** Returns the gateway that is named or chosen; null if routes decide. */
export async function gatewayOf(context: Context, services: Services, { gateway }: Flags): Promise<Gateway | null> {
  if (gateway === undefined && (await services.smsRoutes.list()).length > 0) return null
  if (gateway === undefined && !context.options.interactive)
    throw new CliError(EXIT.usage, 'there is no gateway: give --gateway', 'trunkline gateway list')
  const id =
    gateway === undefined
      ? Number(await choose(context, 'gateway:', search => candidates(services, smsGateways, search)))
      : await resolve(services.records, smsGateways, String(gateway))
  return { ...(await services.records.find(smsGateways, id)), id }
}

/** Returns the class of the message's status; null if it has none. */
export const classIn = (message: JsonObject): StatusClass | null =>
  STATUS_CLASSES.find(each => each === message['status_class']) ?? null

const asObject = (json: string): JsonObject => {
  const value = parseJson(json)
  return isJsonObject(value) ? value : {}
}

/** Returns a message with everything kept about it. */
async function messageAt({ records }: Pick<Services, 'records'>, id: number): Promise<JsonObject | null> {
  const json = await records.show(wholeMessages, id)
  return json === null ? null : asObject(json)
}

/** Says how a text is carried, before it is sent. */
export function sayForm(context: Context, text: string, hasProfile: boolean): void {
  const { alphabet, parts } = textForm(text)
  const loss = alphabet === 'UCS-2' && !hasProfile ? '; without a profile, the gateway may turn it into ????' : ''
  say(context, `text       ${parts} ${parts === 1 ? 'part' : 'parts'} in ${alphabet}${loss}`)
}

/** Sends, and reports progress on standard error. */
export async function sendTold(
  context: Context,
  services: Services,
  gateway: Gateway | null,
  submit: () => Promise<Json>,
): Promise<JsonObject> {
  const started = performance.now()
  const address =
    gateway && `${cell(gateway['name'])} (${cell(gateway['server_host'])}:${cell(gateway['server_port'])})`
  say(context, `queued     for ${address ?? 'the gateways of its route'}`)
  const { id } = asObject(await unlessEnded(submit()))
  const sent = await messageAt(services, Number(id))
  if (sent === null) throw deleted(id)
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  const named = (id: unknown): Promise<string> => spelling(services.records, smsGateways, Number(id))
  for (const { gateway: id, error } of objectsIn(sent['tries']))
    say(context, `refused    by ${await named(id)}: ${cell(error)}`)
  const through = gateway ? '' : ` through ${await named(sent['sms_gateway_id'])},`
  const message = `as message ${cell(sent['id'])} (${cell(sent['external_message_id'])})`
  say(context, `${state(context, sent)}  after ${seconds} s,${through} ${message}`)
  if (sent['error_message'] !== null) say(context, `error      ${cell(sent['error_message'])}`)
  say(context, `reply      ${stringifyJson(sent['remote_response'])}`)
  return sent
}

/** Somebody else deleted it at once, or during the wait. */
const deleted = (id: unknown): CliError =>
  new CliError(EXIT.noRecord, `message ${cell(id)} was sent, and has been deleted since`)

const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** A signal ends the wait for the gateway's answer. */
function unlessEnded<T>(sending: Promise<T>): Promise<T> {
  let stopListening = (): void => undefined
  const ended = new Promise<never>((_, reject) => {
    stopListening = onEnding(code =>
      reject(
        new CliError(code, 'interrupted: whether the message went out is not known', 'trunkline sms list --limit 1'),
      ),
    )
  })
  return Promise.race([sending, ended]).finally(stopListening)
}

const state = (context: Context, message: JsonObject): string => {
  const status = cell(message['delivery_status'])
  return coloured(context, status) + ' '.repeat(Math.max(0, 9 - status.length))
}

/** Returns the message after its receipt has arrived, or as it is when the time is up. */
export async function awaitReceipt(
  context: Context,
  services: Services,
  sent: JsonObject,
  seconds: number,
): Promise<JsonObject> {
  const end = performance.now() + seconds * 1000
  let seen = ''
  for (;;) {
    const message = await messageAt(services, Number(sent['id']))
    if (message === null) throw deleted(sent['id'])
    const [receivedAt, status] = [message['delivered_at'], cell(message['delivery_status'])]
    const now = `${cell(receivedAt)} ${status}`
    if (seen !== '' && now !== seen)
      say(context, `${state(context, message)}  receipt at ${cell(receivedAt ?? message['updated_at'])}`)
    if (seen === '' && receivedAt !== null) say(context, `${state(context, message)}  receipt at ${cell(receivedAt)}`)
    seen = now
    if (receivedAt !== null && classIn(message) !== 'pending') return message
    if (performance.now() >= end) return message
    await pause(POLL_MS)
  }
}

export function waitSeconds({ wait }: Flags): number | null {
  if (wait === undefined) return null
  const seconds = Number(wait)
  if (!(seconds > 0 && seconds <= 86_400))
    throw new CliError(EXIT.usage, '--wait must be a number of seconds above 0, at most 86400')
  return seconds
}

/** Returns the exit code for the outcome of a message. Throws what a person should know about it. */
export async function verdict(context: Context, wiring: Wiring, message: JsonObject, wait: number): Promise<number> {
  const status = JSON.stringify(cell(message['delivery_status']))
  const meaning = classIn(message)
  if (meaning === 'pending' && message['delivered_at'] === null && message['delivery_status'] === 'submitted')
    throw await noReceipt(context, wiring, wait)
  if (meaning === 'pending') throw new CliError(EXIT.negative, `after ${wait} s the message is still ${status}`)
  if (meaning === null)
    throw new CliError(EXIT.negative, `the receipt says ${status}, which is not known to mean delivered`)
  return meaning === 'delivered' ? EXIT.ok : EXIT.negative
}

async function noReceipt(context: Context, wiring: Wiring, wait: number): Promise<CliError> {
  const daemon = await daemonState(wiring, context)
  const late = `no receipt came within ${wait} s`
  if (daemon.serves_this === false)
    return new CliError(EXIT.unavailable, `${late}: the daemon at ${daemon.url} serves another database`)
  if (daemon.state === 'up') return new CliError(EXIT.negative, late)
  const absent = `${late}, and the daemon that records it does not answer at ${daemon.url}`
  return new CliError(EXIT.unavailable, absent, 'trunkline serve')
}
