import { DEFAULT_INTERNATIONAL_PREFIX } from '../dialling/dialled-symbols.ts'
import { type Dialling, type NumberKind, plainDialling, type ReadNumber } from '../dialling/read-number.ts'
import { atOnce, type Steps } from '../steps.ts'
import { type PrefixTrie, prefixTrieBuilder } from './prefix-trie.ts'

/** The status of rates that calls are rated by; rates of any other status match no call. */
export const ACTIVE = 'active'

export const isActive = (status: unknown): boolean => status === ACTIVE

/** One price of a tenant's deck. */
export interface Rate {
  /** Null until its deck is in force. */
  readonly id: number | null
  /** As the operator wrote it, such as `+380` or `00380`. */
  readonly prefix: string
  /** Units of 0.0001. */
  readonly pricePerMinute: number
  /** Seconds, at least 1. */
  readonly increment: number
  readonly active: boolean
}

/** A tenant's active rates, indexed to match numbers as the tenant's dialling reads them. */
export interface Deck {
  /** The number of different prefixes that can match. */
  readonly size: number
  /**
   * Active rates whose prefix has no digits to compare (`+`, `00`, `n/a`). They match no call: as a price for every
   * number, internal ones included, such a prefix is far more likely a mistake.
   */
  readonly ignored: readonly Rate[]
  /**
   * Returns the rate of the longest matching prefix; null if none matches. Among equal prefixes the newest wins: the
   * highest id, or the last of those without an id. A short number matches only its own rate, and a number that is
   * none of its country's matches nothing: otherwise both would be taken for the beginning of an international number.
   */
  match(number: ReadNumber): Rate | null
  /** Returns the rate of each prefix that matches, longest first. */
  matches(number: ReadNumber): Rate[]
}

/** Numbers stored for each rate: the price and the increment. */
const NUMBERS = 2
const FIRST_RATES = 1024

/** How numbers of each kind match prefixes: the longest that they begin with, an equal one, or none. */
const MATCHED_BY: Readonly<Record<NumberKind, 'longest' | 'whole' | 'none'>> = {
  plain: 'longest',
  international: 'longest',
  national: 'longest',
  local: 'longest',
  short: 'whole',
  emergency: 'whole',
  'area unknown': 'none',
  unknown: 'none',
}

/** Builds a deck from rates added a few at a time. */
export interface DeckBuilder {
  /** Iterates over the rates once and skips inactive ones. */
  add(rates: Iterable<Rate>): void
  /** Returns the deck of everything added; build a new one when rates change. */
  deck(): Steps<Deck>
}

export function deckBuilder(
  dialling: Pick<Dialling, 'prefix'> = plainDialling(DEFAULT_INTERNATIONAL_PREFIX),
): DeckBuilder {
  const trie = prefixTrieBuilder()
  const kept = packedRates()
  const ignored: Rate[] = []
  return {
    add: rates => {
      for (const rate of rates) {
        if (!rate.active) continue
        const prefix = dialling.prefix(rate.prefix)
        if (prefix === '') ignored.push(rate)
        else trie.update(prefix, rival => newest(kept, rate, rival))
      }
    },
    *deck() {
      return deckOf(yield* trie.trie(), kept, ignored, dialling)
    },
  }
}

/** Returns the deck of these rates; build a new one when they change. */
export function buildDeck(rates: Iterable<Rate>, dialling?: Pick<Dialling, 'prefix'>): Deck {
  const builder = deckBuilder(dialling)
  builder.add(rates)
  return atOnce(builder.deck())
}

function deckOf(
  trie: PrefixTrie,
  kept: PackedRates,
  ignored: readonly Rate[],
  dialling: Pick<Dialling, 'prefix'>,
): Deck {
  const longest = (digits: string): Rate | null => {
    const place = trie.longest(digits)
    return place === 0 ? null : kept.at(place)
  }
  const whole = (digits: string): Rate | null => {
    const rate = longest(digits)
    return rate && dialling.prefix(rate.prefix) === digits ? rate : null
  }
  const match: Deck['match'] = ({ kind, digits }) => {
    const matching = MATCHED_BY[kind]
    return matching === 'longest' ? longest(digits) : matching === 'whole' ? whole(digits) : null
  }
  return {
    size: kept.count(),
    ignored,
    match,
    matches: number => {
      if (MATCHED_BY[number.kind] !== 'longest') return [match(number) ?? []].flat()
      return trie.all(number.digits).map(kept.at)
    },
  }
}

const age = ({ id }: Rate): number => id ?? Number.POSITIVE_INFINITY

/** True if `rate` replaces the other one of the same prefix. */
export const isNewer = (rate: Rate, other: Rate): boolean => age(rate) >= age(other)

/**
 * Keeps the newer of `rate` and the one at place `rival` (0: none), of the same prefix; returns the place of the one
 * kept.
 */
function newest(kept: PackedRates, rate: Rate, rival: number): number {
  if (rival === 0) return kept.add(rate)
  if (isNewer(rate, kept.at(rival))) kept.replace(rival, rate)
  return rival
}

/** Active rates, numbered from 1. */
interface PackedRates {
  count(): number
  /** Returns the rate's number. */
  add(rate: Rate): number
  replace(place: number, rate: Rate): void
  at(place: number): Rate
}

/**
 * Stores rates in a few arrays. Matching is bound by memory access, and an object for each rate would take four times
 * as much.
 */
function packedRates(): PackedRates {
  let numbers = new Float64Array(FIRST_RATES * NUMBERS)
  const ids: (number | null)[] = [null]
  const prefixes: string[] = ['']
  const replace = (place: number, { id, prefix, pricePerMinute, increment }: Rate): void => {
    const start = place * NUMBERS
    if (start === numbers.length) {
      const larger = new Float64Array(numbers.length * 2)
      larger.set(numbers)
      numbers = larger
    }
    numbers[start] = pricePerMinute
    numbers[start + 1] = increment
    ids[place] = id
    prefixes[place] = prefix
  }
  return {
    count: () => ids.length - 1,
    add: rate => {
      const place = ids.length
      replace(place, rate)
      return place
    },
    replace,
    at: place => ({
      id: ids[place] ?? null,
      prefix: prefixes[place] ?? '',
      pricePerMinute: numbers[place * NUMBERS] ?? 0,
      increment: numbers[place * NUMBERS + 1] ?? 1,
      active: true,
    }),
  }
}
