import { Command } from 'commander'
import { shownMoment } from '../../../../core/calls/switch-time.ts'
import { counted } from '../../../../core/format-count.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { cancelDeck, type ListedDeck, listDecks, pendingDeck } from '../../../../core/use-cases/calls/later-decks.ts'
import { type Context, say } from '../../context.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { printRows } from '../../terminal/output.ts'
import { wholeNumber } from '../../terminal/whole-number.ts'
import { assertWanted } from '../delete-command.ts'

const COLUMNS = {
  id: 'integer',
  tenant: 'text',
  effective: 'text',
  timezone: 'text',
  state: 'text',
  rates: 'integer',
  file: 'text',
  effective_at: 'date',
  created_at: 'date',
} as const

/** Decks that an import with --effective stored for later. */
export function pendingCommand(run: RunCommand): Command {
  const group = new Command('pending').description('decks that take effect later: list, cancel')
  group.addCommand(listCommand(run))
  group.addCommand(cancelCommand(run))
  return group
}

function listCommand(run: RunCommand): Command {
  const command = tenantArgument(
    new Command('list').description('the decks that take effect later, of one tenant or of all, the next first'),
  ).option('--all', 'include the decks in force and the past ones')
  example(command, 'trunkline rate pending list', 'trunkline rate pending list acme --all')
  return run(takesFields(command), async (context, words, flags) => {
    const services = await context.open()
    const all = flags['all'] === true
    const found = await listDecks(services, { ...(await tenantOf(context, words, flags)), all })
    if (found.length === 0 && context.options.output === 'table')
      return say(context, all ? 'no deck has been replaced yet' : 'no deck is pending')
    return printRows(context, COLUMNS, found.map(rowOf))
  })
}

/** Returns the tenant that is named, if any. */
async function tenantOf(context: Context, words: readonly string[], flags: Flags): Promise<{ tenantId?: number }> {
  if (words.length === 0 && flags['tenant'] === undefined) return {}
  const { tenant } = await tenantFrom(context, words, flags)
  return { tenantId: await resolve((await context.open()).records, tenants, tenant) }
}

const rowOf = ({ id, tenant, timezone, state, rates, file, effectiveAt, effective, createdAt }: ListedDeck) => ({
  ...{ id, tenant, timezone, state, rates, file },
  effective: effective ?? '(from the start)',
  effective_at: effective === null ? null : effectiveAt,
  created_at: createdAt,
})

function cancelCommand(run: RunCommand): Command {
  const command = new Command('cancel')
    .description('delete a deck before it takes effect; in a terminal, asks first')
    .argument('<ID>')
    .option('-y, --yes', 'do not ask')
  example(command, 'trunkline rate pending cancel 1 --yes')
  return run(command, async (context, [word = ''], flags) => {
    const services = await context.open()
    const { id, tenant, rates, effectiveAt, timezone } = await pendingDeck(services, wholeNumber('ID', word))
    const what = `deck ${id} of ${tenant}, ${counted(rates, 'rate')} from ${shownMoment(effectiveAt, timezone)}`
    if (flags['yes'] !== true) await assertWanted(context, what)
    await cancelDeck(services, id)
    say(context, `Deck ${id} cancelled.`)
  })
}
