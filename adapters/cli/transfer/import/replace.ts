import { shownMoment } from '../../../../core/calls/switch-time.ts'
import { grouped } from '../../../../core/format-count.ts'
import type { BulkCounts, BulkLoad } from '../../../../core/ports/bulk.ts'
import { ALL_ALONG } from '../../../../core/rating/deck-times.ts'
import type { Replacing } from '../../../../core/transfer/replacing.ts'
import { placedDeck } from '../../../../core/use-cases/calls/later-decks.ts'
import { quoted } from '../../command-line.ts'
import { type Context, type Services, say } from '../../context.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import { sayHint } from '../../terminal/report.ts'
import type { CommandOptions } from './options.ts'

/**
 * Returns what is approved to be stored: asks in a terminal, and refuses in a script if rates would be removed;
 * undefined approves everything.
 */
export async function approvedBy(
  context: Context,
  { yes, allowEmpty }: CommandOptions,
  replacing: Replacing,
  load: BulkLoad,
  rows: number,
): Promise<BulkCounts | undefined> {
  const { tenant } = replacing
  const isEmpty = rows === 0 && !allowEmpty
  if (isEmpty && !context.options.interactive)
    throw new CliError(EXIT.data, `there are no rows: ${tenant} would be left without any rate`, again('--allow-empty'))
  if (yes && !isEmpty) return undefined
  const counts = await load.check()
  const { created, updated, removed, rejected } = counts
  if (rejected > 0 || created + updated + removed === 0) return counts
  if (!context.options.interactive) {
    if (removed > 0 || replacing.isPast) throw unconfirmed(counts, replacing)
    return counts
  }
  say(context, inWords(counts))
  const { confirm } = await import('../../terminal/ask.ts')
  if (!(await confirm(context, question(replacing, isEmpty)))) throw new CliError(EXIT.negative, 'nothing was changed')
  return counts
}

const inWords = ({ created, updated, unchanged, removed }: BulkCounts): string =>
  `${grouped(created)} new, ${grouped(updated)} changed, ${grouped(unchanged)} unchanged, ${grouped(removed)} go`

function question({ tenant, effectiveAt, timeZone }: Replacing, isEmpty: boolean): string {
  const from = effectiveAt === null ? '' : ` from ${shownMoment(effectiveAt, timeZone)} on`
  return isEmpty ? `Leave ${tenant} without any rate${from}?` : `Replace the rates of ${tenant}${from}?`
}

const unconfirmed = (counts: BulkCounts, { tenant, isPast }: Replacing): CliError =>
  new CliError(
    EXIT.usage,
    `${isPast && counts.removed === 0 ? 'a deck that takes effect in the past' : `replacing the rates of ${tenant}`} must be confirmed (${inWords(counts)}): look with --dry-run, then repeat the command with --yes`,
    again('--dry-run'),
  )

/** Says for which calls the new deck is in force. */
export async function tellReplaced(context: Context, replacing: Replacing, services: Services): Promise<void> {
  const { tenantId, tenant, effectiveAt, timeZone, isPast } = replacing
  const placed = await placedDeck(services, tenantId, effectiveAt)
  if (!placed || placed.deck.effectiveAt === ALL_ALONG) return
  const from = shownMoment(placed.deck.effectiveAt, timeZone)
  if (placed.deck.state === 'pending') {
    say(context, `pending; takes effect at ${from}`)
    return sayHint(context, `trunkline rate pending list ${quoted(tenant)}`)
  }
  const until = placed.until === null ? '' : `, until ${shownMoment(placed.until, timeZone)}`
  say(context, `in force for calls that start from ${from} on${until}; earlier calls keep the rates of their time`)
  if (isPast)
    await sayHint(
      context,
      `trunkline cdr rerate --tenant ${quoted(tenant)} --since ${placed.deck.effectiveAt.slice(0, 19)}Z --dry-run`,
    )
}
