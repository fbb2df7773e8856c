import { Command } from 'commander'
import { stringifyJson } from '../../../../core/json.ts'
import type { Kind } from '../../../../core/resources/field.ts'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { smsMessages, wholeMessages } from '../../../../core/resources/sms-messages.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { smsFigures } from '../../../../core/use-cases/messaging/sms-figures.ts'
import { EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { resolve, spelling } from '../../naming/references.ts'
import { periodFrom, periodOptions } from '../../period.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { printRecord, printRows } from '../../terminal/output.ts'
import { classIn, type Gateway, sendTold } from './sms-sending.ts'

/** Commands for messages that were sent. */

export function resendCommand(run: RunCommand): Command {
  const command = new Command('resend')
    .description('send a failed message again, as a new one that refers to it')
    .argument('<ID>')
    .option('--gateway <NAME|ID>', 'use another gateway than before')
    .option('--force', 'even if it is unknown whether the message went out: it may arrive twice')
  example(command, 'trunkline sms resend 2')
  return run(takesFields(command), async (context, [reference = ''], flags) => {
    const services = await context.open()
    const { records, messaging } = services
    const id = await resolve(records, smsMessages, reference)
    const former = await records.find(smsMessages, id)
    const gatewayId =
      flags['gateway'] === undefined
        ? Number(former?.['sms_gateway_id'])
        : await resolve(records, smsGateways, String(flags['gateway']))
    const gateway: Gateway = { ...(await records.find(smsGateways, gatewayId)), id: gatewayId }
    const sent = await sendTold(context, services, gateway, () =>
      messaging.resend(id, { gatewayId, isForced: flags['force'] === true }),
    )
    await printRecord(context, wholeMessages, stringifyJson(sent), { showSecrets: false })
    return classIn(sent) === 'pending' || classIn(sent) === 'delivered' ? EXIT.ok : EXIT.negative
  })
}

const COLUMNS: Readonly<Record<string, Kind>> = {
  gateway: 'text',
  tenant: 'text',
  status_class: 'text',
  messages: 'integer',
  parts: 'integer',
}

export function smsReportCommand(run: RunCommand): Command {
  const command = periodOptions(
    new Command('report').description('how many messages and parts of messages, by gateway, tenant and outcome'),
    'messages that were requested',
  )
  example(command, 'trunkline sms report --month 2026-10')
  return run(takesFields(command), async (context, _words, flags) => {
    const services = await context.open()
    const { records } = services
    const rows = []
    for (const each of await smsFigures(services, periodFrom(flags))) {
      const { sms_gateway_id: gateway, isGone, tenant_id, status_class, messages, parts } = each
      rows.push({
        gateway: isGone ? `(${gateway} is gone)` : await spelling(records, smsGateways, gateway),
        tenant: tenant_id === null ? '' : await spelling(records, tenants, tenant_id),
        status_class: status_class ?? '',
        messages,
        parts,
      })
    }
    await printRows(context, COLUMNS, rows)
  })
}
