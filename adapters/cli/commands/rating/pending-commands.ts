import { Command } from 'commander'
import { shownMoment, wallClock } from '../../../../core/calls/switch-time.ts'
import { counted } from '../../../../core/counted.ts'
import type { DeckEntry } from '../../../../core/ports/decks.ts'
import { ALL_ALONG } from '../../../../core/rating/deck-times.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { type Context, type Services, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { naming, resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { timeZoneOf } from '../../terminal/moments.ts'
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

/** Decks that an import with --effective keeps for later. */
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
    const found = await services.decks.list({ ...(await tenantOf(context, words, flags)), all })
    if (found.length === 0 && context.options.output === 'table')
      return say(context, all ? 'no deck has been replaced yet' : 'no deck is pending')
    return printRows(context, COLUMNS, await Promise.all(found.map(deck => rowOf(services, deck))))
  })
}

/** The tenant that is named, if one is. */
async function tenantOf(context: Context, words: readonly string[], flags: Flags): Promise<{ tenantId?: number }> {
  if (words.length === 0 && flags['tenant'] === undefined) return {}
  const { tenant } = await tenantFrom(context, words, flags)
  return { tenantId: await resolve((await context.open()).records, tenants, tenant) }
}

async function rowOf({ records }: Services, deck: DeckEntry) {
  const { id, tenantId, effectiveAt, state, rates, file, createdAt } = deck
  const timezone = await timeZoneOf(records, tenantId)
  const isFirst = effectiveAt === ALL_ALONG
  return {
    id,
    tenant: await naming(records)(tenants, tenantId),
    effective: isFirst ? '(from the start)' : wallClock(timezone)(effectiveAt),
    ...{ timezone, state, rates, file },
    effective_at: isFirst ? null : effectiveAt,
    created_at: createdAt,
  }
}

function cancelCommand(run: RunCommand): Command {
  const command = new Command('cancel')
    .description('delete a deck before it takes effect; at a terminal, asks first')
    .argument('<ID>')
    .option('-y, --yes', 'do not ask')
  example(command, 'trunkline rate pending cancel 1 --yes')
  return run(command, async (context, [word = ''], flags) => {
    const { decks, records } = await context.open()
    // A deck that is due takes effect first; one that cannot stays pending, and may be cancelled.
    await decks.putInForce().catch(() => undefined)
    const id = wholeNumber('ID', word)
    const deck = (await decks.list({ all: true })).find(each => each.id === id)
    if (!deck) throw new CliError(EXIT.noRecord, `there is no deck ${id}`, 'trunkline rate pending list')
    const moment = shownMoment(deck.effectiveAt, await timeZoneOf(records, deck.tenantId))
    const tenant = await naming(records)(tenants, deck.tenantId)
    if (deck.state !== 'pending')
      throw new CliError(EXIT.data, `deck ${id} is not pending: it is ${deck.state}`, 'trunkline rate pending list')
    const what = `deck ${id} of ${tenant}, ${counted(deck.rates, 'rate')} from ${moment}`
    if (flags['yes'] !== true) await assertWanted(context, what)
    await decks.cancel(id)
    say(context, `Deck ${id} cancelled.`)
  })
}
