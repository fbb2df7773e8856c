import { setTimeout as pause } from 'node:timers/promises'
import type { Timestamp } from '../../../core/dates.ts'
import { AppError, notFound } from '../../../core/errors.ts'
import type { DeckApplied, DeckEntry, Decks } from '../../../core/ports/decks.ts'
import { deckTimeAt, isAside } from '../../../core/rating/deck-times.ts'
import type { InactiveRate } from '../../../core/rating/passed-over.ts'
import type { Connection } from '../database/database.ts'
import type { Writer } from '../database/writer.ts'
import type { Foundation } from '../foundation.ts'
import { IS_ACTIVE } from './call-ratings.ts'
import { deckSteps, ENTRY } from './deck-steps.ts'
import { deckTimes } from './deck-times.ts'

/** The storage port for tenants' decks. */
export function decks({ connection, writer, clock, trail }: Foundation): Decks {
  const { query, value } = connection
  const steps = deckSteps(connection, trail)
  const timesOf = deckTimes(connection)
  const entry = query<[number], DeckEntry>(`SELECT ${ENTRY} FROM decks WHERE id = ?`)
  const destination = value<[number | null], string>('SELECT destination FROM rates WHERE id = ?')
  const keptDestination = value<[number, number | null, string], string>(
    'SELECT destination FROM deck_rates WHERE deck_id = ? AND rate_id IS ? AND prefix = ?',
  )
  const inactiveOf = (from: string, id: string) =>
    query<[number], Omit<InactiveRate, 'active'>>(
      `SELECT ${id} AS id, prefix, cost_per_minute AS pricePerMinute, billing_increment AS increment, status
       FROM ${from} = ? AND NOT (${IS_ACTIVE})`,
    )
  const inactive = inactiveOf('rates WHERE tenant_id', 'id')
  const keptInactive = inactiveOf('deck_rates WHERE deck_id', 'rate_id')
  /** Returns the deck of that moment if its rates are kept aside. */
  const asideAt = (tenantId: number, moment: Timestamp): number | null => {
    const deck = deckTimeAt(timesOf(tenantId), moment)
    return deck && isAside(deck) ? deck.id : null
  }
  const next = value<[], string | null>(`SELECT min(effective_at) FROM decks WHERE state = 'pending'`)
  return {
    list: async ({ tenantId, all }) => {
      const conditions = [...(all ? [] : [`state = 'pending'`]), ...(tenantId === undefined ? [] : ['tenant_id = ?'])]
      return query<number[], DeckEntry>(
        `SELECT ${ENTRY} FROM decks ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
         ORDER BY effective_at, id`,
      ).all(...(tenantId === undefined ? [] : [tenantId]))
    },
    destination: async (tenantId, moment, { id, prefix }) => {
      const deckId = asideAt(tenantId, moment)
      return (deckId === null ? destination.get(id) : keptDestination.get(deckId, id, prefix)) ?? ''
    },
    inactiveRates: async (tenantId, moment) => {
      const deckId = asideAt(tenantId, moment)
      const found = deckId === null ? inactive.all(tenantId) : keptInactive.all(deckId)
      return found.map(rate => ({ ...rate, active: false }))
    },
    cancel: (id, by) =>
      writer.writeAlone(() => {
        const deck = entry.get(id)
        if (!deck) throw notFound('Deck')
        if (deck.state !== 'pending') throw new AppError('conflict', `The deck is not pending: it is ${deck.state}.`)
        query<[number], unknown>('DELETE FROM decks WHERE id = ?').run(id)
        const { tenantId: tenant_id, effectiveAt: effective_at, file, rates } = deck
        trail.note('delete', 'decks', id, { tenant_id, effective_at, file, rates }, by)
        return deck
      }),
    nextMoment: async () => next.get() ?? null,
    putInForce: async () => {
      const applied: DeckApplied[] = []
      for (;;) {
        const now = clock.now()
        if ((next.get() ?? now) >= now) return applied
        const deck = await writer.writeAlone(() => steps.applyDue(now))
        if (deck) applied.push(deck)
      }
    },
    forget: (before, signal) => forget(connection, writer, before, signal),
  }
}

const STEP = 500
const BETWEEN_STEPS_MS = 20

/** Takes all of a deck out of use first, then deletes its rates step by step. */
async function forget(
  { query, value }: Connection,
  writer: Writer,
  before: Timestamp,
  signal: AbortSignal | undefined,
): Promise<number> {
  const replaced = query<[string], unknown>(
    `UPDATE decks SET state = 'forgotten' WHERE state = 'past' AND EXISTS (
       SELECT 1 FROM decks n WHERE n.tenant_id = decks.tenant_id AND n.effective_at > decks.effective_at
         AND n.effective_at < ?)`,
  )
  const count = await writer.write(() => replaced.run(before).changes)
  const left = value<[], number>(
    `SELECT d.id FROM decks d WHERE d.state = 'forgotten' AND EXISTS (SELECT 1 FROM deck_rates WHERE deck_id = d.id) LIMIT 1`,
  )
  const step = query<[{ deck: number }], unknown>(
    `DELETE FROM deck_rates WHERE deck_id = @deck AND seq IN (
       SELECT seq FROM deck_rates WHERE deck_id = @deck ORDER BY seq LIMIT ${STEP})`,
  )
  for (let deck = left.get(); deck !== undefined && !signal?.aborted; deck = left.get()) {
    const id = deck
    await writer.write(() => step.run({ deck: id }).changes)
    await pause(BETWEEN_STEPS_MS, undefined, signal ? { signal } : {}).catch(() => undefined)
  }
  return count
}
