import { AppError } from '../errors.ts'
import type { BulkCounts } from '../ports/bulk.ts'
import type { DeckChanges } from '../ports/decks.ts'

/** True if a new deck is the same as the former one. */
export const isSameDeck = ({ created, updated, removed }: DeckChanges): boolean => created + updated + removed === 0

/** Throws `conflict` if the changes differ from those that were approved; undefined approves all. */
export function assertApproved(changes: DeckChanges, approved: BulkCounts | undefined): void {
  if (approved && (['created', 'updated', 'removed'] as const).some(name => approved[name] !== changes[name]))
    throw new AppError('conflict', 'The rates have changed meanwhile; nothing was replaced.')
}
