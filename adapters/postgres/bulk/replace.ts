import type { Timestamp } from '../../../core/dates.ts'
import type { BulkCounts, Replacement } from '../../../core/ports/bulk.ts'
import { assertApproved, isSameDeck } from '../../../core/rating/deck-changes.ts'
import { ALL_ALONG, type DeckPlace, deckPlace, defaultMoment } from '../../../core/rating/deck-times.ts'
import { NO_COUNTS } from '../../../core/transfer/imported-resource.ts'
import { applyDue, lockDecks, put, timesOf } from '../calls/deck-steps.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import type { AuditTrail } from '../service/audit.ts'
import { compare, type IncomingDeck } from './incoming-deck.ts'
import type { Staged } from './staged.ts'

/** Replaces a deck by the staged rows. Both steps run in a transaction. */
export interface DeckReplacing {
  foresee(within: Queries, now: Timestamp): Promise<BulkCounts>
  /** Throws `conflict` if the result differs from the approved counts. */
  store(within: Queries, now: Timestamp, approved: BulkCounts | undefined): Promise<BulkCounts>
}

export function deckReplacing(
  trail: AuditTrail,
  staged: Staged,
  { tenantId, effectiveAt }: Replacement,
): DeckReplacing {
  const { noted = {} } = staged.plan
  const placed = async (within: Queries, now: Timestamp): Promise<{ place: DeckPlace; incoming: IncomingDeck }> => {
    const times = await timesOf(within, tenantId)
    const hasRates = await within.value<boolean>(sql`SELECT EXISTS (SELECT 1 FROM rates WHERE tenant_id = ${tenantId})`)
    const place = deckPlace(times, effectiveAt ?? defaultMoment(times, hasRates === true, now), now)
    return { place, incoming: { tenantId, rows: raw('import_rows'), of: staged.of, former: place.former } }
  }
  return {
    foresee: async (within, now) => ({
      ...NO_COUNTS,
      ...(await compare(within, (await placed(within, now)).incoming)).changes,
    }),
    store: async (within, now, approved) => {
      await lockDecks(within, tenantId)
      while (await applyDue(within, trail, now, tenantId));
      const { place, incoming } = await placed(within, now)
      const compared = await compare(within, incoming)
      const { changes } = compared
      assertApproved(changes, approved)
      if (!isSameDeck(changes) || effectiveAt !== null) {
        await put(within, compared, place, String(noted['file'] ?? ''), now)
        const since = place.effectiveAt === ALL_ALONG ? {} : { effective_at: place.effectiveAt }
        await trail.note(within, 'import', 'rates', null, { ...noted, ...since, ...changes })
      }
      return { ...NO_COUNTS, ...changes }
    },
  }
}
