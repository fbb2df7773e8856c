import { setTimeout as pause } from 'node:timers/promises'
import type { Timestamp } from '../../../core/dates.ts'
import { AppError, notFound } from '../../../core/errors.ts'
import type { DeckApplied, DeckEntry, Decks } from '../../../core/ports/decks.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { deckTimeAt, isAside } from '../../../core/rating/deck-times.ts'
import type { InactiveRate } from '../../../core/rating/passed-over.ts'
import type { Database } from '../database/database.ts'
import { raw, sql, where } from '../database/sql.ts'
import type { AuditTrail } from '../service/audit.ts'
import { IS_ACTIVE } from './call-ratings.ts'
import { applyDue, ENTRY, timesOf } from './deck-steps.ts'

/** The storage port for the decks of tenants. */
export function decks(database: Database, clock: Clock, trail: AuditTrail): Decks {
  /** The deck in force at that moment if its rates are kept aside; otherwise null. */
  const asideAt = async (tenantId: number, moment: Timestamp): Promise<number | null> => {
    const deck = deckTimeAt(await timesOf(database, tenantId), moment)
    return deck && isAside(deck) ? deck.id : null
  }
  const inactive = raw(`prefix, cost_per_minute AS "pricePerMinute", billing_increment AS increment, status`)
  return {
    list: ({ tenantId, all }) =>
      database.rows<DeckEntry>(
        sql`SELECT ${ENTRY} FROM decks ${where([
          ...(all ? [] : [raw(`state = 'pending'`)]),
          ...(tenantId === undefined ? [] : [sql`tenant_id = ${tenantId}`]),
        ])} ORDER BY effective_at, id`,
      ),
    destination: async (tenantId, moment, { id, prefix }) => {
      const deckId = await asideAt(tenantId, moment)
      const found =
        deckId === null
          ? sql`SELECT destination FROM rates WHERE id = ${id}`
          : sql`SELECT destination FROM deck_rates
              WHERE deck_id = ${deckId} AND rate_id IS NOT DISTINCT FROM ${id} AND prefix = ${prefix}`
      return (await database.value<string>(found)) ?? ''
    },
    inactiveRates: async (tenantId, moment) => {
      const deckId = await asideAt(tenantId, moment)
      const from =
        deckId === null
          ? sql`SELECT id, ${inactive} FROM rates WHERE tenant_id = ${tenantId}`
          : sql`SELECT rate_id AS id, ${inactive} FROM deck_rates WHERE deck_id = ${deckId}`
      const found = await database.rows<Omit<InactiveRate, 'active'>>(sql`${from} AND NOT (${raw(IS_ACTIVE)})`)
      return found.map(rate => ({ ...rate, active: false }))
    },
    cancel: (id, by) =>
      database.write(async within => {
        const deck = await within.row<DeckEntry>(sql`SELECT ${ENTRY} FROM decks WHERE id = ${id} FOR UPDATE`)
        if (!deck) throw notFound('Deck')
        if (deck.state !== 'pending') throw new AppError('conflict', `The deck is not pending: it is ${deck.state}.`)
        await within.run(sql`DELETE FROM decks WHERE id = ${id}`)
        const { tenantId: tenant_id, effectiveAt: effective_at, file, rates } = deck
        await trail.note(within, 'delete', 'decks', id, { tenant_id, effective_at, file, rates }, by)
        return deck
      }),
    nextMoment: async () =>
      (await database.value<string | null>(sql`SELECT min(effective_at) FROM decks WHERE state = 'pending'`)) ?? null,
    putInForce: () => putInForce(database, clock, trail),
    forget: (before, signal) => forget(database, before, signal),
  }
}

/** Uses one transaction for each deck; skips those that another daemon puts in force meanwhile. */
async function putInForce(database: Database, clock: Clock, trail: AuditTrail): Promise<DeckApplied[]> {
  const applied: DeckApplied[] = []
  const session = database.session()
  try {
    for (;;) {
      const now = clock.now()
      const due = await session.value<number>(sql`SELECT tenant_id FROM decks
        WHERE state = 'pending' AND effective_at <= ${now} ORDER BY effective_at LIMIT 1`)
      if (due === undefined) return applied
      const deck = await session.write(within => applyDue(within, trail, now, due))
      if (deck) applied.push(deck)
    }
  } finally {
    await session.close()
  }
}

const STEP = 5_000
const BETWEEN_STEPS_MS = 20

/** Takes the whole deck out of use, then deletes its rates in steps. */
async function forget(database: Database, before: Timestamp, signal: AbortSignal | undefined): Promise<number> {
  const count = await database.single.run(sql`UPDATE decks SET state = 'forgotten' WHERE state = 'past' AND EXISTS (
    SELECT 1 FROM decks n WHERE n.tenant_id = decks.tenant_id AND n.effective_at > decks.effective_at
      AND n.effective_at < ${before})`)
  const step = sql`DELETE FROM deck_rates WHERE (deck_id, seq) IN (
    SELECT r.deck_id, r.seq FROM decks d JOIN deck_rates r ON r.deck_id = d.id WHERE d.state = 'forgotten'
    ORDER BY r.deck_id, r.seq LIMIT ${raw(String(STEP))} FOR UPDATE OF r SKIP LOCKED)`
  while (!signal?.aborted && (await database.single.run(step)) === STEP)
    await pause(BETWEEN_STEPS_MS, undefined, signal ? { signal } : {}).catch(() => undefined)
  return count
}
