import type { Timestamp } from '../../../core/dates.ts'
import type { BulkCounts, Replacement } from '../../../core/ports/bulk.ts'
import { assertApproved, isSameDeck } from '../../../core/rating/deck-changes.ts'
import { ALL_ALONG, type DeckPlace, deckPlace, defaultMoment } from '../../../core/rating/deck-times.ts'
import { NO_COUNTS } from '../../../core/transfer/imported-resource.ts'
import { deckSteps } from '../calls/deck-steps.ts'
import { deckTimes } from '../calls/deck-times.ts'
import type { Connection } from '../database/database.ts'
import type { AuditTrail } from '../service/audit.ts'
import type { Staged } from './bulk-rules.ts'
import { compare, type IncomingDeck } from './incoming-deck.ts'

/** Replaces a deck by the staged rows. Both methods run in a transaction. */
export interface DeckReplacing {
  foresee(now: Timestamp): BulkCounts
  /** Throws `conflict` if the outcome would differ from what was approved. */
  store(now: Timestamp, approved: BulkCounts | undefined): BulkCounts
}

export function deckReplacing(
  connection: Connection,
  trail: AuditTrail,
  staged: Staged,
  { tenantId, effectiveAt }: Replacement,
): DeckReplacing {
  const steps = deckSteps(connection, trail)
  const timesOf = deckTimes(connection)
  const hasRates = connection.value<[number], number>('SELECT EXISTS (SELECT 1 FROM rates WHERE tenant_id = ?)')
  const { noted = {} } = staged.plan

  const placed = (now: Timestamp): { place: DeckPlace; incoming: IncomingDeck } => {
    const times = timesOf(tenantId)
    const moment = effectiveAt ?? defaultMoment(times, hasRates.get(tenantId) === 1, now)
    const place = deckPlace(times, moment, now)
    const { of, named } = staged
    return { place, incoming: { tenantId, rows: 'temp.import_rows', of, named, former: place.former } }
  }

  return {
    foresee: now => ({ ...NO_COUNTS, ...compare(connection, placed(now).incoming).changes }),
    store: (now, approved) => {
      while (steps.applyDue(now, tenantId));
      const { place, incoming } = placed(now)
      const compared = compare(connection, incoming)
      const { changes } = compared
      assertApproved(changes, approved)
      if (!isSameDeck(changes) || effectiveAt !== null) {
        steps.put(compared, place, String(noted['file'] ?? ''), now)
        const since = place.effectiveAt === ALL_ALONG ? {} : { effective_at: place.effectiveAt }
        trail.note('import', 'rates', null, { ...noted, ...since, ...changes })
      }
      return { ...NO_COUNTS, ...changes }
    },
  }
}
