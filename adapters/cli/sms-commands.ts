import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { formatTimestamp } from '../../core/dates.ts'
import { invalid } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { PageQuery, Records } from '../../core/ports/records.ts'
import { FOREVER, type Period } from '../../core/rating/period.ts'
import { parseMembers } from '../../core/resources/input.ts'
import type { Row } from '../../core/resources/resource.ts'
import { smsGateways } from '../../core/resources/sms-gateways.ts'
import { sendFields, smsMessages } from '../../core/resources/sms-messages.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { COMMON_STATUSES, classOf, type StatusClass } from '../../core/sms/status-class.ts'
import { askMissing, candidates, choose } from './ask.ts'
import { type Context, type Services, say } from './context.ts'
import { CliError, EXIT, onEnding } from './exit.ts'
import type { Flags } from './fields.ts'
import { example } from './help.ts'
import { readText } from './input.ts'
import { cell } from './json-values.ts'
import { assertFields, isTold, printRecord, printRecords } from './output.ts'
import { recordPeriodFrom, recordPeriodOptions } from './period.ts'
import { type RunCommand, takesFields, type Wiring } from './program.ts'
import { resolve } from './references.ts'
import { daemonState } from './service-commands.ts'
import { coloured } from './styles.ts'
import { noteShown } from './trail.ts'
import { wholeNumber } from './whole-number.ts'

const POLL_MS = 250

/** Receipts that take longer are worth a look. */
const STUCK_MINUTES = 60

export async function smsCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const group = new Command('sms').description('SMS messages')
  for (const command of [sendCommand(run, wiring), listCommand(run), showCommand(run)]) group.addCommand(command)
  return group
}

function listCommand(run: RunCommand): Command {
  const command = new Command('list')
    .description('list messages, latest first')
    .option('--gateway <NAME|ID>', 'only those of this gateway')
    .option('--tenant <SLUG|ID>', 'only those of this tenant')
    .option('--status <status>', 'only those with this delivery status')
    .option(
      '--stuck [minutes]',
      `only those on their way for so many minutes or longer (${STUCK_MINUTES} unless given)`,
    )
    .option('--limit <n>', 'at most so many (50 unless given)')
    .option('--after <id>', 'only what comes after this message')
    .option('--show-secrets', 'show secrets')
  recordPeriodOptions(command, smsMessages)
  example(command, 'trunkline sms list --gateway Jasmin --limit 20', 'trunkline sms list --stuck 15')
  return run(takesFields(command), async (context, _words, flags) => {
    const { records } = await context.open()
    const pages = records.list(smsMessages, await queryFrom(flags, records))
    const showSecrets = flags['showSecrets'] === true
    await noteShown(context, smsMessages.name, showSecrets)
    const next = await printRecords(context, smsMessages, pages, { showSecrets })
    if (next !== null) say(context, `there are more: add --after ${next} for the next`)
  })
}

async function queryFrom(flags: Flags, records: Records): Promise<PageQuery> {
  const { gateway, tenant, status, stuck } = flags
  if (stuck !== undefined && status !== undefined)
    throw new CliError(EXIT.usage, '--stuck selects by status itself: leave --status out')
  const where = {
    ...(gateway === undefined ? {} : { sms_gateway_id: await resolve(records, smsGateways, String(gateway)) }),
    ...(tenant === undefined ? {} : { tenant_id: await resolve(records, tenants, String(tenant)) }),
    ...(status === undefined ? {} : { delivery_status: String(status).toLowerCase() }),
    ...(stuck === undefined ? {} : { delivery_status: COMMON_STATUSES.pending ?? [] }),
  }
  const { period } = await recordPeriodFrom(flags, where.tenant_id, records)
  return {
    view: 'list',
    where,
    limit: wholeNumber('--limit', flags['limit'] ?? 50),
    ...(flags['after'] === undefined ? {} : { after: wholeNumber('--after', flags['after']) }),
    ...(stuck === undefined ? (period ? { period } : {}) : { period: olderThan(stuck, period) }),
  }
}

/** The part of a period that ended so many minutes ago; `minutes` is true where the flag stands alone. */
function olderThan(minutes: unknown, { from, to } = FOREVER): Period {
  const age = minutes === true ? STUCK_MINUTES : wholeNumber('--stuck', minutes)
  const latest = formatTimestamp(Date.now() - age * 60_000, 0)
  return { from, to: to < latest ? to : latest }
}

function showCommand(run: RunCommand): Command {
  const command = new Command('show')
    .description('show one message')
    .argument('<ID>')
    .option('--show-secrets', 'show secrets')
  example(command, 'trunkline sms show 1')
  return run(takesFields(command), async (context, [id = ''], flags) => {
    const { records } = await context.open()
    const found = await resolve(records, smsMessages, id)
    const json = await records.show(smsMessages, found)
    const showSecrets = flags['showSecrets'] === true
    await noteShown(context, smsMessages.name, showSecrets, found)
    if (json !== null) await printRecord(context, smsMessages, json, { showSecrets })
  })
}

function sendCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('send')
    .description('send one message through a gateway, and report each step; at a terminal, asks for what is missing')
    .argument('[-]', 'the text from standard input, as with --message -')
    .option('--gateway <NAME|ID>', 'the gateway (required)')
    .option('--to <number>', 'the destination, in E.164 (required)')
    .option('--from <sender>', 'sender id or number (default: the default sender of the gateway)')
    .option('--message <text>', 'the text, or - for standard input (required)')
    .option('--tenant <SLUG|ID>', 'the tenant it is for')
    .option('--callback-url <url>', 'where the gateway sends receipts (default: this service)')
    .option(
      '--wait <seconds>',
      'wait for the receipt, which the daemon records; ends with 0 only if the message was delivered',
    )
  example(command, "trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message 'Hello'")
  return run(takesFields(command), async (context, [dash], flags) => {
    if (dash !== undefined && dash !== '-')
      throw new CliError(EXIT.usage, `unexpected argument ${dash}; give the text with --message`)
    assertFields(context, smsMessages)
    const services = await context.open()
    const wait = waitSeconds(flags)
    const gateway = await gatewayOf(context, services, flags)
    const body = await bodyOf(context, services, gateway, dash === undefined ? flags : { ...flags, message: '-' })
    const sent = await send(context, services, gateway, body)
    const isFailed = sent['delivery_status'] === 'failed'
    const final = isFailed || wait === null ? sent : await awaitReceipt(context, services, sent, wait)
    await printSent(context, final)
    if (isFailed || wait === null) return classIn(final) === 'failed' ? EXIT.negative : EXIT.ok
    if (final['delivered_at'] === null) throw await noReceipt(context, wiring, wait)
    return assertDelivered(final, wait)
  })
}

const classIn = (message: JsonObject): StatusClass | null => classOf(cell(message['delivery_status']))

/** Says what a receipt says that does not tell of a delivery. */
function assertDelivered(message: JsonObject, wait: number): number {
  const status = JSON.stringify(cell(message['delivery_status']))
  const meaning = classIn(message)
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

function waitSeconds({ wait }: Flags): number | null {
  if (wait === undefined) return null
  const seconds = Number(wait)
  if (!(seconds > 0 && seconds <= 86_400))
    throw new CliError(EXIT.usage, '--wait must be a number of seconds above 0, at most 86400')
  return seconds
}

type Gateway = Row & { readonly id: number }

async function gatewayOf(context: Context, services: Services, { gateway }: Flags): Promise<Gateway> {
  if (gateway === undefined && !context.options.interactive)
    throw new CliError(EXIT.usage, 'there is no gateway: give --gateway', 'trunkline gateway list')
  const id =
    gateway === undefined
      ? Number(await choose(context, 'gateway:', search => candidates(services, smsGateways, search)))
      : await resolve(services.records, smsGateways, String(gateway))
  return { ...(await services.records.find(smsGateways, id)), id }
}

async function bodyOf(context: Context, services: Services, gateway: Gateway, flags: Flags): Promise<JsonObject> {
  const { to, from, message, callbackUrl, tenant } = flags
  const sender = cell(gateway['default_sender_id'])
  const given: JsonObject = {
    to_number: to,
    from_sender: from ?? (sender === '' ? undefined : sender),
    message: message === '-' ? await readText(context.io, '-') : message,
    callback_url: callbackUrl,
    tenant_id: typeof tenant === 'string' ? await resolve(services.records, tenants, tenant) : undefined,
  }
  const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  if (context.options.interactive) return askMissing(context, services, { ...smsMessages, fields: sendFields }, body)
  // Before anything is said of the message: what is refused was never queued.
  const { errors } = parseMembers(sendFields, body, 'create')
  if (errors.length > 0) throw invalid(errors)
  return body
}

const asObject = (json: string): JsonObject => {
  const value = parseJson(json)
  return isJsonObject(value) ? value : {}
}

/** Sends, and says on standard error how it goes. */
async function send(
  context: Context,
  { messaging }: Services,
  gateway: Gateway,
  body: JsonObject,
): Promise<JsonObject> {
  const started = performance.now()
  say(
    context,
    `queued     for ${cell(gateway['name'])} (${cell(gateway['server_host'])}:${cell(gateway['server_port'])})`,
  )
  const sent = asObject(await unlessEnded(messaging.send(gateway.id, body)))
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  say(
    context,
    `${state(context, sent)}  after ${seconds} s, as message ${cell(sent['id'])} (${cell(sent['external_message_id'])})`,
  )
  if (sent['error_message'] !== null) say(context, `error      ${cell(sent['error_message'])}`)
  say(context, `reply      ${stringifyJson(sent['remote_response'])}`)
  return sent
}

/** A signal does not wait for the gateway's answer. */
function unlessEnded<T>(sending: Promise<T>): Promise<T> {
  let stopListening = (): void => undefined
  const ended = new Promise<never>((_, reject) => {
    stopListening = onEnding(code =>
      reject(new CliError(code, 'interrupted: the message may have been sent', 'trunkline sms list --limit 1')),
    )
  })
  return Promise.race([sending, ended]).finally(stopListening)
}

const state = (context: Context, message: JsonObject): string => {
  const status = cell(message['delivery_status'])
  return coloured(context, status) + ' '.repeat(Math.max(0, 9 - status.length))
}

/** What was said along the way is all that a person at a terminal wants. */
const printSent = async (context: Context, sent: JsonObject): Promise<void> => {
  const isWanted = isTold(context) || classIn(sent) === 'failed'
  if (isWanted && (context.options.output !== 'table' || !context.io.stdout.isTTY))
    await printRecord(context, smsMessages, stringifyJson(sent), { showSecrets: false })
}

/** The message once a receipt has said what became of it, or as it is when the time is up. */
async function awaitReceipt(
  context: Context,
  { records }: Services,
  sent: JsonObject,
  seconds: number,
): Promise<JsonObject> {
  const end = performance.now() + seconds * 1000
  let seen: unknown = null
  for (;;) {
    const found = await records.show(smsMessages, Number(sent['id']))
    if (found === null)
      throw new CliError(EXIT.noRecord, `message ${cell(sent['id'])} was deleted while it was waited for`)
    const message = asObject(found)
    const receivedAt = message['delivered_at']
    if (receivedAt !== seen) say(context, `${state(context, message)}  receipt at ${cell(receivedAt)}`)
    seen = receivedAt
    if (receivedAt !== null && classIn(message) !== 'pending') return message
    if (performance.now() >= end) return message
    await pause(POLL_MS)
  }
}
