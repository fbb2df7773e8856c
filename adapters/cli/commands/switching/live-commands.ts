import { Command } from 'commander'
import { formatAmount } from '../../../../core/amounts.ts'
import { AppError } from '../../../../core/errors.ts'
import type { LiveCall, TelephoneSwitch } from '../../../../core/ports/switching.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { costOfLive } from '../../../../core/use-cases/calls/live-cost.ts'
import { addToTrail } from '../../../../core/use-cases/records/trail.ts'
import { type Context, type Services, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { printRows } from '../../terminal/output.ts'
import { switchesSet } from './switches-set.ts'

/** What a switch reports about itself: who is registered, who is talking. */

const PHONE_COLUMNS = {
  tenant: 'text',
  extension: 'text',
  address: 'text',
  agent: 'text',
  expires_at: 'date',
  switch: 'text',
} as const

const CALL_COLUMNS = {
  id: 'text',
  tenant: 'text',
  extension: 'text',
  from: 'text',
  to: 'text',
  direction: 'text',
  trunk: 'text',
  started_at: 'date',
  seconds: 'integer',
  cost: 'decimal',
  switch: 'text',
} as const

/** On a narrow terminal `calls end` still needs the whole id. */
const CALL_ROOM = { whole: ['id'], minor: ['extension', 'from', 'direction', 'trunk', 'started_at', 'switch'] }

export async function phonesCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = new Command('phones')
    .description('the telephones that are registered on the switch')
    .option('--tenant <SLUG|ID>', 'only those of this tenant')
  example(command, 'trunkline phones --tenant acme')
  return run(takesFields(command), async (context, _words, flags) => {
    const { found, trouble } = await ofSwitches(context, wiring, each => each.phones())
    const slug = await slugOf(context, flags['tenant'])
    const rows = found
      .filter(({ tenant }) => slug === null || tenant === slug)
      .map(({ expiresAt, ...phone }) => ({ ...phone, expires_at: expiresAt }))
    await printRows(context, PHONE_COLUMNS, rows)
    if (trouble) throw trouble
  })
}

export async function callsCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const group = new Command('calls')
    .description('the calls in progress on the switch, with their cost so far')
    .option('--tenant <SLUG|ID>', 'only those of this tenant')
  example(group, 'trunkline calls --tenant acme')
  group.addCommand(endCommand(run, wiring))
  return run(takesFields(group), async (context, _words, flags) => {
    const { found, trouble } = await ofSwitches(context, wiring, each => each.calls())
    const slug = await slugOf(context, flags['tenant'])
    const services = await context.open()
    const rows = []
    for (const call of found) if (slug === null || call.tenant === slug) rows.push(await callRow(services, call))
    await printRows(context, CALL_COLUMNS, rows, CALL_ROOM)
    if (trouble) throw trouble
  })
}

function endCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('end').description('end a call in progress').argument('<ID>', 'its id in trunkline calls')
  example(command, 'trunkline calls end 1781e2c8-7c5f-4b0a-a9e7-5a8d2b0f1c11')
  return run(command, async (context, [id = '']) => {
    const services = await context.open()
    const { found, trouble } = await ofSwitches(context, wiring, async each => [{ isEnded: await each.end(id) }])
    if (found.some(({ isEnded }) => isEnded)) {
      await addToTrail(services, { action: 'delete', resource: 'calls', changes: { call: id } })
      return say(context, 'Call ended.')
    }
    throw trouble ?? new CliError(EXIT.noRecord, `there is no call ${JSON.stringify(id)}`, 'trunkline calls')
  })
}

/** Returns every switch's answer with its kind, and why any did not answer. Throws CliError without a switch. */
async function ofSwitches<T extends object>(
  context: Context,
  wiring: Wiring,
  ask: (each: TelephoneSwitch) => Promise<readonly T[]>,
): Promise<{ found: readonly (T & { switch: string })[]; trouble: unknown }> {
  const switches = await switchesSet(context, wiring)
  const answers = await Promise.allSettled(
    switches.map(async each => (await ask(each)).map(answer => ({ ...answer, switch: each.kind }))),
  )
  const [trouble, ...others] = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []))
  for (const each of others) if (each instanceof AppError) say(context, each.message)
  return {
    found: answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : [])),
    trouble: trouble === undefined ? null : explained(trouble),
  }
}

/** Hints at the check of a switch that cannot be reached. */
const explained = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'unavailable' && error.details.hint === undefined
    ? new AppError(error.code, error.message, { ...error.details, hint: 'trunkline switch check' })
    : error

/** Returns the slug of the tenant that is named; null for all. */
async function slugOf(context: Context, name: unknown): Promise<string | null> {
  if (name === undefined) return null
  const { records } = await context.open()
  const row = await records.find(tenants, await resolve(records, tenants, String(name)))
  return String(row?.['slug'])
}

async function callRow(services: Services, call: LiveCall & { readonly switch: string }) {
  const { startedAt, answeredAt, ...shown } = call
  const { seconds, cost } = await costOfLive(services, call)
  return { ...shown, started_at: startedAt, seconds, cost: cost === null ? null : formatAmount(cost) }
}
