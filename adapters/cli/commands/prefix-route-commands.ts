import { Command } from 'commander'
import type { Resource } from '../../../core/resources/resource.ts'
import { smsGateways } from '../../../core/resources/sms-gateways.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import { trunks } from '../../../core/resources/trunks.ts'
import type { PrefixRouting } from '../../../core/use-cases/records/prefix-routing.ts'
import { type Services, say } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import { example } from '../help.ts'
import { labelOf, pluralOf, resolve, spelling } from '../naming/references.ts'
import { type RunCommand, takesFields } from '../program.ts'
import { printRows } from '../terminal/output.ts'
import { wholeNumber } from '../terminal/whole-number.ts'

/** A kind of routes: what they are for, and the records that they lead through. */
interface RouteKind {
  /** The words of the command. */
  readonly command: string
  readonly via: Resource
  /** The column of the list. */
  readonly column: string
  readonly what: string
  readonly samples: string
  routes(services: Services): PrefixRouting
}

const MESSAGES: RouteKind = {
  command: 'sms route',
  via: smsGateways,
  column: 'gateways',
  what: 'messages that name no gateway',
  samples: 'Jasmin',
  routes: ({ smsRoutes }) => smsRoutes,
}

const CALLS: RouteKind = {
  command: 'trunk route',
  via: trunks,
  column: 'trunks',
  what: 'calls that go out',
  samples: 'carrier-one',
  routes: ({ trunkRoutes }) => trunkRoutes,
}

/** The gateways of messages that name none. */
export const smsRouteCommand = (run: RunCommand): Command => routeCommand(run, MESSAGES)

/** The trunks of outgoing calls. */
export const trunkRouteCommand = (run: RunCommand): Command => routeCommand(run, CALLS)

function routeCommand(run: RunCommand, kind: RouteKind): Command {
  const group = new Command('route').description(`the ${kind.column} of ${kind.what}: list, set, remove`)
  for (const command of [listCommand, setCommand, removeCommand]) group.addCommand(command(run, kind))
  return group
}

function listCommand(run: RunCommand, { command: words, via, column, routes }: RouteKind): Command {
  const command = example(new Command('list').description('list the routes'), `trunkline ${words} list`)
  return run(takesFields(command), async context => {
    const services = await context.open()
    const { records } = services
    const rows = []
    for (const { id, tenant_id, prefix, via: ids } of await routes(services).list()) {
      const there = []
      for (const each of ids)
        there.push((await records.find(via, each)) ? await spelling(records, via, each) : `(${each} is gone)`)
      const tenant = tenant_id === null ? '' : await spelling(records, tenants, tenant_id)
      rows.push({ id, tenant, prefix, [column]: there.join(', ') })
    }
    await printRows(context, { id: 'integer', tenant: 'text', prefix: 'text', [column]: 'text' }, rows)
  })
}

function setCommand(run: RunCommand, { command: words, via, what, samples, routes }: RouteKind): Command {
  const command = new Command('set')
    .description(`set the ${pluralOf(via)} of a tenant, of a prefix, or of all; if one refuses, the next is tried`)
    .argument(`<${labelOf(via).split(' ').at(-1)?.toUpperCase()}...>`, `the ${pluralOf(via)}, in the order to try`)
    .option('--tenant <SLUG|ID>', `only for ${what.split(' ')[0]} of this tenant`)
    .option('--prefix <digits>', 'only for numbers with this prefix, such as 380')
  example(command, `trunkline ${words} set ${samples} --tenant acme --prefix 380`)
  return run(command, async (context, names, flags) => {
    const services = await context.open()
    const { records } = services
    const prefix = String(flags['prefix'] ?? '').replace(/^\+/, '')
    if (!/^\d{0,15}$/.test(prefix)) throw new CliError(EXIT.usage, '--prefix must be digits, such as 380')
    const ids: number[] = []
    for (const name of names) ids.push(await resolve(records, via, name))
    const tenant_id = flags['tenant'] === undefined ? null : await resolve(records, tenants, String(flags['tenant']))
    await routes(services).set({ tenant_id, prefix, via: [...new Set(ids)] })
    say(context, 'Route set.')
  })
}

function removeCommand(run: RunCommand, { command: words, routes }: RouteKind): Command {
  const command = new Command('remove').description('remove a route').argument('<ID>')
  example(command, `trunkline ${words} remove 1`)
  return run(command, async (context, [id = '']) => {
    if (!(await routes(await context.open()).remove(wholeNumber('ID', id))))
      throw new CliError(EXIT.noRecord, `there is no route ${id}`, `trunkline ${words} list`)
    say(context, 'Route removed.')
  })
}
