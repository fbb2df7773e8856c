import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import { smsGateways } from '../../core/resources/sms-gateways.ts'
import { smsMessages } from '../../core/resources/sms-messages.ts'
import { type Context, type Services, say } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { readText } from './input.ts'
import { cell, printRecord, printRecords, styled } from './output.ts'
import { example, type RunCommand } from './program.ts'
import { resolve } from './references.ts'

const POLL_MS = 250

export async function smsCommand(run: RunCommand): Promise<Command> {
  const group = new Command('sms').description('SMS messages: send, list, show')
  const send = new Command('send')
    .description('send one message through a gateway, and show it happening')
    .requiredOption('--gateway <NAME|ID>', 'the gateway')
    .requiredOption('--to <number>', 'the destination, in E.164')
    .option('--from <sender>', 'sender id or number (default: the default sender of the gateway)')
    .option('--message <text>', 'the text, or - for standard input')
    .option('--tenant <SLUG|ID>', 'the tenant it is for')
    .option('--callback-url <url>', 'where the gateway sends receipts (default: this service)')
    .option('--wait <seconds>', 'wait for the receipt that the daemon records')
  example(send, "trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message 'Hello'")
  group.addCommand(run(send, sendMessage))
  const list = new Command('list')
    .description('list messages, newest first')
    .option('--gateway <NAME|ID>', 'only those of this gateway')
    .option('--limit <n>', 'at most so many', '50')
  example(list, 'trunkline sms list --gateway Jasmin --limit 20')
  group.addCommand(
    run(list, async (context, _words, flags) => {
      const { records } = await context.open()
      const gateway =
        typeof flags['gateway'] === 'string' ? await resolve(records, smsGateways, flags['gateway']) : null
      const limit = Number(flags['limit'] ?? 50)
      if (!Number.isInteger(limit) || limit < 1)
        throw new CliError(EXIT.usage, '--limit must be a whole number above 0')
      const query = {
        view: 'list' as const,
        limit,
        ...(gateway === null ? {} : { where: { sms_gateway_id: gateway } }),
      }
      await printRecords(context, smsMessages, records.list(smsMessages, query), { showSecrets: true })
    }),
  )
  const show = example(new Command('show').description('show one message').argument('<ID>'), 'trunkline sms show 1')
  group.addCommand(
    run(show, async (context, [id = '']) => {
      const { records } = await context.open()
      const json = await records.show(smsMessages, await resolve(records, smsMessages, id))
      if (json !== null) await printRecord(context, smsMessages, json, { showSecrets: true })
    }),
  )
  return group
}

const asObject = (json: string): JsonObject => {
  const value = parseJson(json)
  return isJsonObject(value) ? value : {}
}

async function sendMessage(context: Context, _words: readonly string[], flags: Flags): Promise<number> {
  const services = await context.open()
  const { records, messaging } = services
  const gatewayId = await resolve(records, smsGateways, String(flags['gateway']))
  const gateway = await records.find(smsGateways, gatewayId)
  const message =
    flags['message'] === undefined || flags['message'] === '-' ? await readText(context.io, '-') : flags['message']
  const { tenants } = await import('../../core/resources/tenants.ts')
  const body = {
    to_number: flags['to'],
    from_sender: flags['from'] ?? gateway?.['default_sender_id'] ?? undefined,
    message,
    callback_url: flags['callbackUrl'],
    tenant_id: typeof flags['tenant'] === 'string' ? await resolve(records, tenants, flags['tenant']) : undefined,
  }
  const wait = waitSeconds(flags)
  const started = performance.now()
  say(
    context,
    `queued     for ${cell(gateway?.['name'])} (${cell(gateway?.['server_host'])}:${cell(gateway?.['server_port'])})`,
  )
  const sent = asObject(await messaging.send(gatewayId, body))
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  const status = cell(sent['delivery_status'])
  const style = status === 'failed' ? 'red' : 'green'
  say(
    context,
    `${styled(context, style, status.padEnd(9))}  after ${seconds} s, as ${cell(sent['external_message_id'])}`,
  )
  if (sent['error_message'] !== null) say(context, `           ${cell(sent['error_message'])}`)
  say(context, `reply      ${stringifyJson(sent['remote_response'])}`)
  if (status === 'failed' || wait === null) {
    await printSent(context, sent)
    return status === 'failed' ? EXIT.negative : EXIT.ok
  }
  const final = await awaitReceipt(services, Number(sent['id']), wait)
  say(
    context,
    final['delivered_at'] === null
      ? `no receipt within ${wait} s`
      : `${cell(final['delivery_status']).padEnd(9)}  at ${cell(final['delivered_at'])}`,
  )
  await printSent(context, final)
  return final['delivered_at'] === null ? EXIT.negative : EXIT.ok
}

const printSent = async (context: Context, sent: JsonObject): Promise<void> => {
  // What was said along the way is all that a person wants.
  if (context.options.output !== 'table' || context.options.quiet || !context.io.stdout.isTTY)
    await printRecord(context, smsMessages, stringifyJson(sent), { showSecrets: true })
}

function waitSeconds(flags: Flags): number | null {
  if (flags['wait'] === undefined) return null
  const seconds = Number(flags['wait'])
  if (!(seconds > 0 && seconds <= 86_400)) throw new CliError(EXIT.usage, '--wait must be a number of seconds above 0')
  return seconds
}

/** The message once a receipt has come, or as it is when the time is up. */
async function awaitReceipt({ records }: Services, id: number, seconds: number): Promise<JsonObject> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const message = asObject((await records.show(smsMessages, id)) ?? '{}')
    if (message['delivered_at'] !== null || performance.now() >= end) return message
    await pause(POLL_MS)
  }
}
