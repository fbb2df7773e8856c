import type { Actor } from '../../audit.ts'
import { wallClock } from '../../calls/switch-time.ts'
import type { Timestamp } from '../../dates.ts'
import { AppError } from '../../errors.ts'
import type { DeckEntry, Decks } from '../../ports/decks.ts'
import type { Records } from '../../ports/records.ts'
import { ALL_ALONG } from '../../rating/deck-times.ts'
import { tenants } from '../../resources/tenants.ts'

export interface DeckPorts {
  readonly decks: Pick<Decks, 'list' | 'cancel' | 'putInForce'>
  readonly records: Pick<Records, 'find'>
}

/** A deck as operators see it. */
export interface ListedDeck extends DeckEntry {
  /** The slug of its tenant. */
  readonly tenant: string
  /** The time zone of its tenant. */
  readonly timezone: string
  /** When it takes effect, by a clock in that zone; null for rates that have been in force from the start. */
  readonly effective: string | null
}

/** Lists the decks that take effect later, of one tenant or of all, next first; with `all`, the others too. */
export async function listDecks(
  { decks, records }: DeckPorts,
  filter: { readonly tenantId?: number; readonly all?: boolean },
): Promise<readonly ListedDeck[]> {
  const listed = []
  for (const deck of await decks.list(filter)) listed.push(await shown(records, deck))
  return listed
}

/**
 * Returns the pending deck of that id. Puts decks that are due in force first; one that cannot take effect stays
 * pending, and may be cancelled. Throws `not_found`, and `conflict` if it is not pending.
 */
export async function pendingDeck({ decks, records }: DeckPorts, id: number): Promise<ListedDeck> {
  await decks.putInForce().catch(() => undefined)
  const deck = (await decks.list({ all: true })).find(each => each.id === id)
  if (!deck) throw new AppError('not_found', `There is no deck ${id}.`, { hint: HINT })
  if (deck.state !== 'pending')
    throw new AppError('conflict', `Deck ${id} is not pending: it is ${deck.state}.`, { hint: HINT })
  return shown(records, deck)
}

/** Deletes a deck before it takes effect, and returns it. Throws as `pendingDeck` does. */
export async function cancelDeck(ports: DeckPorts, id: number, by?: Actor): Promise<ListedDeck> {
  const deck = await pendingDeck(ports, id)
  await ports.decks.cancel(id, by)
  return deck
}

/** Puts the decks that are due in force: without a daemon, nobody else does. */
export const putDueDecksInForce = ({ decks }: { readonly decks: Pick<Decks, 'putInForce'> }) => decks.putInForce()

/** The place of a deck among the others of its tenant. */
export interface PlacedDeck {
  readonly deck: DeckEntry
  /** When the next one takes effect; null if none follows. */
  readonly until: Timestamp | null
}

/** Returns the deck that takes effect at that moment, or with null the one in force; null if there is none. */
export async function placedDeck(
  { decks }: { readonly decks: Pick<Decks, 'list'> },
  tenantId: number,
  effectiveAt: Timestamp | null,
): Promise<PlacedDeck | null> {
  const all = await decks.list({ tenantId, all: true })
  const deck = all.find(each => (effectiveAt === null ? each.state === 'in force' : each.effectiveAt === effectiveAt))
  if (!deck) return null
  return { deck, until: all.find(each => each.effectiveAt > deck.effectiveAt)?.effectiveAt ?? null }
}

const HINT = 'trunkline rate pending list'

async function shown(records: DeckPorts['records'], deck: DeckEntry): Promise<ListedDeck> {
  const tenant = await records.find(tenants, deck.tenantId)
  const timezone = String(tenant?.['timezone'] ?? 'UTC')
  return {
    ...deck,
    tenant: String(tenant?.['slug'] ?? deck.tenantId),
    timezone,
    effective: deck.effectiveAt === ALL_ALONG ? null : wallClock(timezone)(deck.effectiveAt),
  }
}
