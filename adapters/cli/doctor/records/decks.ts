import { shownMoment } from '../../../../core/calls/switch-time.ts'
import { addSeconds } from '../../../../core/dates.ts'
import type { DeckEntry } from '../../../../core/ports/decks.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { timeZoneOf } from '../../../../core/use-cases/records/time-zone.ts'
import type { Services } from '../../context.ts'
import { naming } from '../../naming/references.ts'
import { AT_MOST, type Check, type Finding } from '../check.ts'

/** A running daemon puts a deck in force sooner than this. */
const PATIENCE_SECONDS = 60

/** Finds decks that are due but not in force. */
export const decks: Check = {
  about: 'decks that are due',
  async *examine(patient) {
    const services = await patient.open()
    const now = services.clock.now()
    const isDue = ({ effectiveAt }: DeckEntry): boolean => effectiveAt <= now
    const due = (await services.decks.list({})).filter(isDue)
    if (due.length === 0) return
    const { is_served } = await patient.daemon()
    const late = is_served ? due.filter(deck => deck.effectiveAt <= addSeconds(now, -PATIENCE_SECONDS)) : due
    for (const deck of late.slice(0, AT_MOST)) yield found(deck, is_served, services)
    if (late.length > AT_MOST)
      yield {
        kind: 'deck_due',
        finding: `${late.length - AT_MOST} more decks are due but not in force`,
        fix: 'trunkline rate pending list',
      }
  },
}

async function found(
  { id, tenantId, effectiveAt }: DeckEntry,
  isServed: boolean,
  { records }: Services,
): Promise<Finding> {
  const tenant = await naming(records)(tenants, tenantId)
  const moment = shownMoment(effectiveAt, await timeZoneOf(records, tenantId))
  const why = isServed ? 'the log of the daemon says why' : 'no daemon runs to put it in force'
  return {
    kind: 'deck_due',
    finding: `deck ${id} of ${tenant} has been due since ${moment} but is not in force: ${why}`,
    fix: isServed ? `trunkline rate pending list ${tenant}` : 'trunkline serve',
  }
}
