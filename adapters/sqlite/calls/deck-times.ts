import type { DeckTime, DeckTimes } from '../../../core/rating/deck-times.ts'
import type { Connection } from '../database/database.ts'

/** Returns when a tenant's decks take effect. */
export function deckTimes({ query }: Connection): (tenantId: number) => DeckTimes {
  const times = query<[number], DeckTime>(
    'SELECT id, effective_at AS effectiveAt, state FROM decks WHERE tenant_id = ? ORDER BY effective_at',
  )
  return tenantId => times.all(tenantId)
}
