import type { Timestamp } from '../../../core/dates.ts'
import type { DeckApplied, DeckEntry } from '../../../core/ports/decks.ts'
import {
  ALL_ALONG,
  type DeckPlace,
  type DeckState,
  type DeckTime,
  deckTimeAt,
} from '../../../core/rating/deck-times.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import {
  applyToRates,
  type ComparedDeck,
  compare,
  forgetMatches,
  keepAside,
  keepStored,
} from '../bulk/incoming-deck.ts'
import type { Connection } from '../database/database.ts'
import type { AuditTrail } from '../service/audit.ts'
import { deckTimes } from './deck-times.ts'

/** The synchronous steps on decks in a write transaction. */
export interface DeckSteps {
  /** Puts decks that are due in force: those of one tenant, or the first one of any. */
  applyDue(now: Timestamp, tenantId?: number): DeckApplied | null
  /** Stores a compared deck in its place. */
  put(deck: ComparedDeck, place: DeckPlace, file: string, now: Timestamp): void
}

export const ENTRY =
  'id, tenant_id AS tenantId, effective_at AS effectiveAt, state, file, rates, created_at AS createdAt'

export function deckSteps(connection: Connection, trail: AuditTrail): DeckSteps {
  const { query, value } = connection
  const timesOf = deckTimes(connection)
  const due = (of: string) =>
    query<[string, ...number[]], DeckEntry>(
      `SELECT ${ENTRY} FROM decks WHERE state = 'pending' AND effective_at <= ? ${of} ORDER BY effective_at LIMIT 1`,
    )
  const [dueOfAny, dueOfOne] = [due(''), due('AND tenant_id = ?')]
  const insert = value<[number, string, DeckState, string, number, string], number>(
    `INSERT INTO decks (tenant_id, effective_at, state, file, rates, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, effective_at)
     DO UPDATE SET file = excluded.file, rates = excluded.rates, created_at = excluded.created_at RETURNING id`,
  )
  const setState = query<[DeckState, number, number], unknown>('UPDATE decks SET state = ?, rates = ? WHERE id = ?')
  const emptied = query<[number], unknown>('DELETE FROM deck_rates WHERE deck_id = ?')
  const takeNewIds = query<[{ tenant: number; from: string; to: string }], unknown>(
    `UPDATE cdr_ratings
     SET rate_id = (SELECT max(id) FROM rates WHERE tenant_id = @tenant AND prefix = cdr_ratings.prefix)
     WHERE rate_id IS NULL AND outcome = 'rated' AND cdr_id IN (
       SELECT id FROM cdrs WHERE tenant_id = @tenant AND started_at >= @from AND started_at < @to)`,
  )

  /** Keeps the stored rates for earlier calls; gives them an entry if no deck had replaced them yet. */
  const retire = (tenantId: number, former: DeckTime | null, now: Timestamp): void => {
    const id = former?.id ?? insert.get(tenantId, ALL_ALONG, 'past', '', 0, now) ?? 0
    setState.run('past', keepStored(connection, id, tenantId), id)
  }

  const apply = (deck: DeckEntry, now: Timestamp): DeckApplied => {
    const { id, tenantId, effectiveAt } = deck
    const times = timesOf(tenantId).filter(time => time.id !== id)
    const former = deckTimeAt(times, effectiveAt)
    const rows = '(SELECT * FROM main.deck_rates WHERE deck_id = @deck)'
    const incoming = { tenantId, rows, of: (field: string) => `s.${field}`, named: { deck: id }, former }
    const compared = compare(connection, incoming)
    retire(tenantId, former, now)
    applyToRates(connection, compared, now)
    forgetMatches(connection)
    setState.run('in force', deck.rates, id)
    emptied.run(id)
    // Calls rated by it in advance now get the ids of its new rates.
    const next = times.find(time => time.effectiveAt > effectiveAt)
    takeNewIds.run({ tenant: tenantId, from: effectiveAt, to: next?.effectiveAt ?? FOREVER.to })
    trail.note('apply', 'rates', null, { deck: id, tenant_id: tenantId, file: deck.file, ...compared.changes })
    return { deck: { ...deck, state: 'in force' }, ...compared.changes }
  }

  return {
    applyDue: (now, tenantId) => {
      const deck = tenantId === undefined ? dueOfAny.get(now) : dueOfOne.get(now, tenantId)
      return deck ? apply(deck, now) : null
    },
    put: (deck, { effectiveAt, state, former, replaces }, file, now) => {
      const { tenantId, changes } = deck
      if (state === 'in force' && !replaces && effectiveAt > ALL_ALONG) retire(tenantId, former, now)
      const count = changes.created + changes.updated + changes.unchanged
      const id = insert.get(tenantId, effectiveAt, state, file, count, now) ?? 0
      if (state === 'in force') applyToRates(connection, deck, now)
      else keepAside(connection, id, deck)
    },
  }
}
