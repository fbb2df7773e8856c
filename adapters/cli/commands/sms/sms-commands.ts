import { Command, Option } from 'commander'
import { formatTimestamp } from '../../../../core/dates.ts'
import { invalid } from '../../../../core/errors.ts'
import { type JsonObject, stringifyJson } from '../../../../core/json.ts'
import type { PageQuery } from '../../../../core/ports/records.ts'
import { FOREVER, type Period } from '../../../../core/rating/period.ts'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { sendFields, smsMessages, wholeMessages } from '../../../../core/resources/sms-messages.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { parseMembers } from '../../../../core/resources/values/input.ts'
import { STATUS_CLASSES } from '../../../../core/sms/status-class.ts'
import type { Lookup } from '../../../../core/use-cases/records/lookup.ts'
import { type Context, type Services, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { readText } from '../../input.ts'
import { resolve } from '../../naming/references.ts'
import { recordPeriodFrom, recordPeriodOptions } from '../../period.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { askMissing } from '../../terminal/ask.ts'
import { cell } from '../../terminal/json-values.ts'
import { assertFields, isAskedFor, printRecord, printRecords } from '../../terminal/output.ts'
import { wholeNumber } from '../../terminal/whole-number.ts'
import { noteShown } from '../../trail.ts'
import { smsRouteCommand } from '../prefix-route-commands.ts'
import {
  awaitReceipt,
  classIn,
  type Gateway,
  gatewayOf,
  sayForm,
  sendTold,
  verdict,
  waitSeconds,
} from './sms-sending.ts'
import { resendCommand, smsReportCommand } from './sms-tools.ts'

/** Receipts that take longer are worth a look. */
const STUCK_MINUTES = 60

export async function smsCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const group = new Command('sms').description('SMS messages')
  const commands = [
    ...[sendCommand(run, wiring), listCommand(run), showCommand(run)],
    ...[resendCommand(run), smsReportCommand(run), smsRouteCommand(run)],
  ]
  for (const command of commands) group.addCommand(command)
  return group
}

function listCommand(run: RunCommand): Command {
  const command = new Command('list')
    .description('list messages, latest first')
    .option('--gateway <NAME|ID>', 'only those of this gateway')
    .option('--tenant <SLUG|ID>', 'only those of this tenant')
    .option('--status <status>', 'filter by delivery status')
    .addOption(new Option('--class <class>', 'filter by what the status means').choices([...STATUS_CLASSES]))
    .option('--stuck [minutes]', `only those on their way for this many minutes or longer (default: ${STUCK_MINUTES})`)
    .option('--limit <n>', 'the most to show (default: 50)')
    .option('--after <id>', 'only messages after this one')
    .option('--show-secrets', 'show secrets')
  recordPeriodOptions(command, smsMessages)
  example(command, 'trunkline sms list --gateway Jasmin --limit 20', 'trunkline sms list --stuck 15')
  return run(takesFields(command), async (context, _words, flags) => {
    const { records } = await context.open()
    const pages = records.list(wholeMessages, await queryFrom(flags, records))
    const showSecrets = flags['showSecrets'] === true
    await noteShown(context, smsMessages.name, showSecrets)
    const next = await printRecords(context, wholeMessages, pages, { showSecrets })
    if (next !== null) say(context, `there are more: add --after ${next} for the next`)
  })
}

async function queryFrom(flags: Flags, records: Lookup): Promise<PageQuery> {
  const { gateway, tenant, status, stuck, class: meaning } = flags
  if (stuck !== undefined && (status !== undefined || meaning !== undefined))
    throw new CliError(EXIT.usage, '--stuck chooses by the status: leave --status and --class out')
  const where = {
    ...(gateway === undefined ? {} : { sms_gateway_id: await resolve(records, smsGateways, String(gateway)) }),
    ...(tenant === undefined ? {} : { tenant_id: await resolve(records, tenants, String(tenant)) }),
    ...(status === undefined ? {} : { delivery_status: String(status).toLowerCase() }),
    ...(meaning === undefined ? {} : { status_class: String(meaning) }),
    ...(stuck === undefined ? {} : { status_class: 'pending' }),
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

/** Returns the part of a period up to that many minutes ago; `minutes` is true if the flag has no value. */
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
    const json = await records.show(wholeMessages, found)
    const showSecrets = flags['showSecrets'] === true
    await noteShown(context, smsMessages.name, showSecrets, found)
    if (json !== null) await printRecord(context, wholeMessages, json, { showSecrets })
  })
}

function sendCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('send')
    .description('send one message through a gateway, and report each step; in a terminal, asks for what is missing')
    .argument('[-]', 'the text from standard input, as with --message -')
    .option('--gateway <NAME|ID>', 'the gateway (required unless a route leads to one)')
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
    assertFields(context, wholeMessages)
    const services = await context.open()
    const wait = waitSeconds(flags)
    const gateway = await gatewayOf(context, services, flags)
    const body = await bodyOf(context, services, gateway, dash === undefined ? flags : { ...flags, message: '-' })
    const { messaging } = services
    const { hasProfile } = await messaging.preview(gateway?.id ?? null, body)
    sayForm(context, cell(body['message']), hasProfile)
    const submit = gateway ? () => messaging.send(gateway.id, body) : () => messaging.sendRouted(body)
    const sent = await sendTold(context, services, gateway, submit)
    const isFailed = sent['delivery_status'] === 'failed'
    const final = isFailed || wait === null ? sent : await awaitReceipt(context, services, sent, wait)
    await printSent(context, final)
    if (isFailed || wait === null) return isLost(final) ? EXIT.negative : EXIT.ok
    return verdict(context, wiring, final, wait)
  })
}

async function bodyOf(
  context: Context,
  services: Services,
  gateway: Gateway | null,
  flags: Flags,
): Promise<JsonObject> {
  const { to, from, message, callbackUrl, tenant } = flags
  const sender = gateway ? cell(gateway['default_sender_id']) : ''
  const members: JsonObject = {
    to_number: to,
    from_sender: from ?? (sender === '' ? undefined : sender),
    message: message === '-' ? await readText(context.io, '-') : message,
    callback_url: callbackUrl,
    tenant_id: typeof tenant === 'string' ? await resolve(services.records, tenants, tenant) : undefined,
  }
  const body = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  if (context.options.interactive) return askMissing(context, services, { ...smsMessages, fields: sendFields }, body)
  // Checked before the first line is printed: a refused message was never queued.
  const { errors } = parseMembers(sendFields, body, 'create')
  if (errors.length > 0) throw invalid(errors)
  return body
}

/** True for a message that did not go out, as far as is known. */
const isLost = (message: JsonObject): boolean => {
  const meaning = classIn(message)
  return meaning === 'failed' || meaning === 'unknown'
}

/** A person at a terminal has already seen everything. */
const printSent = async (context: Context, sent: JsonObject): Promise<void> => {
  const isWanted = isAskedFor(context) || isLost(sent)
  if (isWanted && (context.options.output !== 'table' || !context.io.stdout.isTTY))
    await printRecord(context, wholeMessages, stringifyJson(sent), { showSecrets: false })
}
