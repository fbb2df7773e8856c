import { type Catalog, isOwnNumber } from '../calls/record-call.ts'
import type { Timestamp } from '../dates.ts'
import type { ReadNumber } from '../dialling/read-number.ts'
import { charge } from './cost.ts'
import type { Rate } from './deck.ts'

/** An outgoing, answered call. */
export interface AnsweredCall {
  readonly number: string
  readonly startedAt: Timestamp
  readonly seconds: number
}

/**
 * What rating an unrated call again would give. `no deck`: the rates of its time are no longer kept. `too large`: the
 * cost by its rate exceeds what an amount can hold. `free`: it costs nothing.
 */
export type UnratedNow =
  | { readonly kind: 'rated' | 'too large'; readonly read: ReadNumber; readonly rate: Rate }
  | { readonly kind: 'free' | 'no match' | 'no deck'; readonly read: ReadNumber; readonly rate: null }

export type RatingCatalog = Pick<Catalog, 'dialling' | 'deckAt' | 'extensions' | 'dids'>

export function unratedNow({ number, startedAt, seconds }: AnsweredCall, catalog: RatingCatalog): UnratedNow {
  const read = catalog.dialling.read(number)
  if (isOwnNumber(number, catalog, read)) return { kind: 'free', read, rate: null }
  const deck = catalog.deckAt(startedAt)
  if (!deck) return { kind: 'no deck', read, rate: null }
  const rate = deck.match(read)
  if (rate) return { kind: charge({ ...rate, seconds }) ? 'rated' : 'too large', read, rate }
  return { kind: read.kind === 'emergency' ? 'free' : 'no match', read, rate: null }
}
