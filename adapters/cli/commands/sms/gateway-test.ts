import { Command } from 'commander'
import { type JsonObject, stringifyJson } from '../../../../core/json.ts'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { asThing } from '../../../../core/sms/profiles/sample.ts'
import { type Context, type Services, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { referenceForm, resolve } from '../../naming/references.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { cell } from '../../terminal/json-values.ts'
import { printThing } from '../../terminal/output.ts'
import { awaitReceipt, classIn, type Gateway, sayForm, sendTold, verdict, waitSeconds } from './sms-sending.ts'

const TEXT = 'Test of the SMS gateway: Тест ✓'

/** Sends one message, and shows the request, the reply and the receipt. */
export function gatewayTest(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('test')
    .description('send one message through a gateway, and show request, reply and receipt; secrets are masked')
    .argument(`<${referenceForm(smsGateways)}>`)
    .option('--to <number>', 'the destination, in E.164 (required)')
    .option('--from <sender>', 'sender id or number (default: the default sender of the gateway)')
    .option('--message <text>', `the text (default: ${TEXT})`)
    .option('--wait <seconds>', 'how long to wait for the receipt (default: 30; 0 does not wait)')
  example(command, 'trunkline gateway test Jasmin --to +380501234567 --from ACME --wait 0')
  return run(takesFields(command), async (context, [reference = ''], flags) => {
    const services = await context.open()
    const id = await resolve(services.records, smsGateways, reference)
    const gateway: Gateway = { ...(await services.records.find(smsGateways, id)), id }
    const wait = String(flags['wait']) === '0' ? null : waitSeconds({ wait: flags['wait'] ?? 30 })
    const { sent, request } = await sendTest(context, services, gateway, bodyOf(gateway, flags))
    const isFailed = sent['delivery_status'] === 'failed'
    const final = isFailed || wait === null ? sent : await awaitReceipt(context, services, sent, wait)
    if (!isAtTerminal(context))
      await printThing(context, {
        request,
        message: final['id'],
        delivery_status: final['delivery_status'],
        status_class: final['status_class'],
        reply_and_receipts: final['remote_response'],
        error_message: final['error_message'],
      })
    else if (final['delivered_at'] !== null) say(context, `receipt    ${stringifyJson(final['remote_response'])}`)
    if (isFailed) return EXIT.negative
    return wait === null ? EXIT.ok : verdict(context, wiring, final, wait)
  })
}

/** A person at a terminal has already read all of it. */
const isAtTerminal = ({ options, io }: Context): boolean =>
  options.output === 'table' && options.fields === undefined && !options.quiet && io.stdout.isTTY === true

function bodyOf(gateway: Gateway, { to, from, message }: Flags): JsonObject {
  const sender = from ?? gateway['default_sender_id']
  if (to === undefined) throw new CliError(EXIT.usage, 'there is no destination: give --to')
  if (sender === null || sender === undefined)
    throw new CliError(EXIT.usage, 'the gateway has no default sender: give --from')
  return { to_number: to, from_sender: sender, message: message ?? TEXT }
}

async function sendTest(
  context: Context,
  services: Services,
  gateway: Gateway,
  body: JsonObject,
): Promise<{ sent: JsonObject; request: JsonObject }> {
  const { messaging } = services
  const preview = await messaging.preview(gateway.id, body)
  const request = asThing(preview.request)
  sayForm(context, cell(body['message']), preview.hasProfile)
  if (isAtTerminal(context))
    say(
      context,
      'request',
      ...stringifyJson(request, 2)
        .split('\n')
        .map(line => `  ${line}`),
    )
  const sent = await sendTold(context, services, gateway, () => messaging.send(gateway.id, body))
  if (classIn(sent) === null) say(context, 'the meaning of this status is unknown')
  return { sent, request }
}
