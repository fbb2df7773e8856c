import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../core/errors.ts'
import type { DeckEntry, Decks } from '../../../../core/ports/decks.ts'
import { ALL_ALONG } from '../../../../core/rating/deck-times.ts'
import { cancelDeck, listDecks, pendingDeck } from '../../../../core/use-cases/calls/later-decks.ts'
import { fakeStorage } from '../../../fakes/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'

/** Acme in Kyiv with a deck in force from the start and one pending until midnight there. */
async function world(putInForce: () => ReturnType<Decks['putInForce']> = async () => []) {
  const clock = manualClock()
  const { records } = fakeStorage(clock)
  const { id: tenantId } = await insert(records, 'tenants', { slug: 'acme', timezone: 'Europe/Kyiv' })
  const common = { tenantId, rates: 3, createdAt: clock.now() }
  const first: DeckEntry = { ...common, id: 1, state: 'in force', effectiveAt: ALL_ALONG, file: '' }
  const effectiveAt = '2026-10-31T22:00:00.000000Z'
  const next: DeckEntry = { ...common, id: 2, state: 'pending', effectiveAt, file: 'november.csv' }
  const stored = [first, next]
  const cancelled: unknown[] = []
  const decks: Pick<Decks, 'list' | 'cancel' | 'putInForce'> = {
    list: async ({ all }) => stored.filter(({ state }) => all || state === 'pending'),
    cancel: async (...given) => {
      cancelled.push(given)
      return next
    },
    putInForce,
  }
  return { ports: { records, decks }, cancelled, stored, next }
}

describe('decks', () => {
  it('are listed with their tenant, and with their moment by the clock there', async () => {
    const { ports } = await world()
    const shown = async (all: boolean) =>
      (await listDecks(ports, { all })).map(({ id, tenant, timezone, effective }) => [id, tenant, timezone, effective])
    const next = [2, 'acme', 'Europe/Kyiv', '2026-11-01 00:00']
    assert.deepEqual(await shown(false), [next])
    assert.deepEqual(await shown(true), [[1, 'acme', 'Europe/Kyiv', null], next])
  })

  it('that are pending are cancelled, by somebody who is named', async () => {
    const { ports, cancelled } = await world()
    const by = { name: 'ann@example.com', origin: '192.0.2.1' }
    assert.equal((await cancelDeck(ports, 2, by)).file, 'november.csv')
    assert.deepEqual(cancelled, [[2, by]])
  })

  it('that are in force, or not there, are not cancelled', async () => {
    const { ports, cancelled } = await world()
    await assert.rejects(cancelDeck(ports, 1), { code: 'conflict', message: 'Deck 1 is not pending: it is in force.' })
    await assert.rejects(cancelDeck(ports, 3), { code: 'not_found', message: 'There is no deck 3.' })
    assert.deepEqual(cancelled, [])
  })

  it('that are due take effect before a lookup', async () => {
    const { ports, stored, next } = await world(async () => {
      stored.splice(1, 1, { ...next, state: 'in force' })
      return []
    })
    await assert.rejects(pendingDeck(ports, 2), { code: 'conflict' })
  })

  it('that cannot take effect can be cancelled', async () => {
    const { ports } = await world(async () => {
      throw new AppError('storage_full', 'The disk is full.')
    })
    assert.equal((await pendingDeck(ports, 2)).id, 2)
  })
})
