import type { Timestamp } from '../../../core/dates.ts'
import type { DeckApplied, DeckEntry } from '../../../core/ports/decks.ts'
import {
  ALL_ALONG,
  type DeckPlace,
  type DeckState,
  type DeckTime,
  type DeckTimes,
  deckTimeAt,
} from '../../../core/rating/deck-times.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { applyToRates, type ComparedDeck, compare, keepAside, keepStored } from '../bulk/incoming-deck.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import type { AuditTrail } from '../service/audit.ts'
import { andAt } from './spread.ts'

export const ENTRY = raw(
  'id, tenant_id AS "tenantId", effective_at AS "effectiveAt", state, file, rates, created_at AS "createdAt"',
)

/** When the decks of a tenant take effect. */
export const timesOf = (queries: Queries, tenantId: number): Promise<DeckTimes> =>
  queries.rows<DeckTime>(
    sql`SELECT id, effective_at AS "effectiveAt", state FROM decks WHERE tenant_id = ${tenantId} ORDER BY effective_at`,
  )

/** One program at a time changes a tenant's decks. */
export async function lockDecks(within: Queries, tenantId: number): Promise<void> {
  await within.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`decks ${tenantId}`}, 0))`)
}

interface NewDeck {
  readonly tenantId: number
  readonly effectiveAt: Timestamp
  readonly state: DeckState
  readonly file: string
  readonly rates: number
}

async function insert(within: Queries, deck: NewDeck, now: Timestamp): Promise<number> {
  const { tenantId, effectiveAt, state, file, rates } = deck
  const id = await within.value<number>(
    sql`INSERT INTO decks (tenant_id, effective_at, state, file, rates, created_at)
      VALUES (${tenantId}, ${effectiveAt}, ${state}, ${file}, ${rates}, ${now}) ON CONFLICT (tenant_id, effective_at)
      DO UPDATE SET file = excluded.file, rates = excluded.rates, created_at = excluded.created_at RETURNING id`,
  )
  return id ?? 0
}

const setState = (within: Queries, id: number, state: DeckState, rates: number): Promise<number> =>
  within.run(sql`UPDATE decks SET state = ${state}, rates = ${rates} WHERE id = ${id}`)

/** Keeps the stored rates for earlier calls; rates that no deck had replaced get their own entry. */
async function retire(within: Queries, tenantId: number, former: DeckTime | null, now: Timestamp): Promise<void> {
  const first = { tenantId, effectiveAt: ALL_ALONG, state: 'past', file: '', rates: 0 } as const
  const id = former?.id ?? (await insert(within, first, now))
  await setState(within, id, 'past', await keepStored(within, id, tenantId))
}

/** Puts a compared deck in force. */
export async function put(
  within: Queries,
  deck: ComparedDeck,
  { effectiveAt, state, former, replaces }: DeckPlace,
  file: string,
  now: Timestamp,
): Promise<void> {
  const { tenantId, changes } = deck
  if (state === 'in force' && !replaces && effectiveAt > ALL_ALONG) await retire(within, tenantId, former, now)
  const rates = changes.created + changes.updated + changes.unchanged
  const id = await insert(within, { tenantId, effectiveAt, state, file, rates }, now)
  if (state === 'in force') await applyToRates(within, deck, now)
  else await keepAside(within, id, deck)
}

/** Puts the first due deck of that tenant in force; returns null if none is due. */
export async function applyDue(
  within: Queries,
  trail: AuditTrail,
  now: Timestamp,
  tenantId: number,
): Promise<DeckApplied | null> {
  await lockDecks(within, tenantId)
  const deck = await within.row<DeckEntry>(sql`SELECT ${ENTRY} FROM decks
    WHERE state = 'pending' AND effective_at <= ${now} AND tenant_id = ${tenantId} ORDER BY effective_at LIMIT 1`)
  return deck ? apply(within, trail, deck, now) : null
}

/** Rates without an id get that of the tenant's newest rate of the prefix. */
async function nameRates(within: Queries, tenantId: number, from: Timestamp, to: Timestamp): Promise<void> {
  const ratedAhead = sql`r.rate_id IS NULL AND r.outcome = 'rated'${andAt(within, 'r', tenantId)} AND r.cdr_id IN (
    SELECT c.id FROM cdrs c WHERE c.tenant_id = ${tenantId}${andAt(within, 'c', tenantId)}
      AND c.started_at >= ${from} AND c.started_at < ${to})`
  const prefixes = await within.values<string>(
    sql`SELECT DISTINCT r.prefix FROM cdr_ratings r WHERE r.prefix IS NOT NULL AND ${ratedAhead}`,
  )
  if (prefixes.length === 0) return
  const rates = await within.rows<{ prefix: string; id: number }>(
    sql`SELECT prefix, max(id) AS id FROM rates WHERE tenant_id = ${tenantId} AND prefix = ANY(${prefixes}) GROUP BY prefix`,
  )
  await within.run(sql`UPDATE cdr_ratings r SET rate_id = u.id
    FROM unnest(${rates.map(({ prefix }) => prefix)}::text[], ${rates.map(({ id }) => id)}::bigint[]) AS u(prefix, id)
    WHERE r.prefix = u.prefix AND ${ratedAhead}`)
}

async function apply(within: Queries, trail: AuditTrail, deck: DeckEntry, now: Timestamp): Promise<DeckApplied> {
  const { id, tenantId, effectiveAt } = deck
  const times = (await timesOf(within, tenantId)).filter(time => time.id !== id)
  const former = deckTimeAt(times, effectiveAt)
  const rows = sql`(SELECT * FROM deck_rates WHERE deck_id = ${id})`
  const incoming = { tenantId, rows, of: (field: string) => raw(`s.${field}`), former }
  const compared = await compare(within, incoming)
  await retire(within, tenantId, former, now)
  await applyToRates(within, compared, now)
  await setState(within, id, 'in force', deck.rates)
  await within.run(sql`DELETE FROM deck_rates WHERE deck_id = ${id}`)
  // Calls that were rated ahead by this deck get the ids of its new rates.
  const next = times.find(time => time.effectiveAt > effectiveAt)
  await nameRates(within, tenantId, effectiveAt, next?.effectiveAt ?? FOREVER.to)
  await trail.note(within, 'apply', 'rates', null, {
    deck: id,
    tenant_id: tenantId,
    file: deck.file,
    ...compared.changes,
  })
  return { deck: { ...deck, state: 'in force' }, ...compared.changes }
}
