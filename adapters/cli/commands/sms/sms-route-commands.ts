import { Command } from 'commander'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { resolve, spelling } from '../../naming/references.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { printRows } from '../../terminal/output.ts'
import { wholeNumber } from '../../terminal/whole-number.ts'

/** Through which gateways messages go where none is named. */
export function smsRouteCommand(run: RunCommand): Command {
  const group = new Command('route').description('the gateways of messages that name none: list, set, remove')
  for (const command of [listCommand(run), setCommand(run), removeCommand(run)]) group.addCommand(command)
  return group
}

const COLUMNS = { id: 'integer', tenant: 'text', prefix: 'text', gateways: 'text' } as const

function listCommand(run: RunCommand): Command {
  const command = example(new Command('list').description('list the routes'), 'trunkline sms route list')
  return run(takesFields(command), async context => {
    const { records, smsRoutes } = await context.open()
    const named = (id: number): Promise<string> => spelling(records, smsGateways, id)
    const rows = []
    for (const { id, tenant_id, prefix, gateways } of await smsRoutes.all()) {
      const there = []
      for (const each of gateways)
        there.push((await records.find(smsGateways, each)) ? await named(each) : `(${each} is gone)`)
      const tenant = tenant_id === null ? '' : await spelling(records, tenants, tenant_id)
      rows.push({ id, tenant, prefix, gateways: there.join(', ') })
    }
    await printRows(context, COLUMNS, rows)
  })
}

function setCommand(run: RunCommand): Command {
  const command = new Command('set')
    .description('set the gateways of a tenant, of a prefix, or of all; where the first refuses, the next is tried')
    .argument('<GATEWAY...>', 'the gateways, the first tried first')
    .option('--tenant <SLUG|ID>', 'only for messages of this tenant')
    .option('--prefix <digits>', 'only for numbers that begin so, such as 380')
  example(command, 'trunkline sms route set Jasmin --tenant acme --prefix 380')
  return run(command, async (context, names, flags) => {
    const { records, smsRoutes } = await context.open()
    const prefix = String(flags['prefix'] ?? '').replace(/^\+/, '')
    if (!/^\d{0,15}$/.test(prefix)) throw new CliError(EXIT.usage, '--prefix must be digits, such as 380')
    const gateways: number[] = []
    for (const name of names) gateways.push(await resolve(records, smsGateways, name))
    const tenant_id = flags['tenant'] === undefined ? null : await resolve(records, tenants, String(flags['tenant']))
    await smsRoutes.set({ tenant_id, prefix, gateways: [...new Set(gateways)] })
    say(context, 'Route set.')
  })
}

function removeCommand(run: RunCommand): Command {
  const command = new Command('remove').description('remove a route').argument('<ID>')
  example(command, 'trunkline sms route remove 1')
  return run(command, async (context, [id = '']) => {
    const { smsRoutes } = await context.open()
    if (!(await smsRoutes.remove(wholeNumber('ID', id))))
      throw new CliError(EXIT.noRecord, `there is no route ${id}`, 'trunkline sms route list')
    say(context, 'Route removed.')
  })
}
