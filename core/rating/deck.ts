import { type Dialling, type NumberKind, plainDialling, type ReadNumber } from '../dialling/dialling.ts'
import { DEFAULT_INTERNATIONAL_PREFIX } from '../dialling/number.ts'
import { type PrefixTrie, prefixTrie } from './prefix-trie.ts'

/** The status of rates that calls are rated by; those of any other status match no call. */
export const ACTIVE = 'active'

export const isActive = (status: unknown): boolean => status === ACTIVE

/** One price of a tenant's deck. */
export interface Rate {
  /** Null where it has none yet, its deck not being in force. */
  readonly id: number | null
  /** As the operator wrote it, such as `+380` or `00380`. */
  readonly prefix: string
  /** Units of 0.0001. */
  readonly pricePerMinute: number
  /** Seconds, at least 1. */
  readonly increment: number
  readonly active: boolean
}

/** A tenant's active rates, ready to be matched with numbers as the tenant's dialling reads them. */
export interface Deck {
  /** How many different prefixes can match. */
  readonly size: number
  /**
   * Active rates whose prefix leaves nothing to compare (`+`, `00`, `n/a`). They match no call: taken as a price for
   * every number, internal ones included, such a prefix would far more often be a mistake than intended.
   */
  readonly ignored: readonly Rate[]
  /**
   * The rate of the longest prefix, null when none matches. On equal prefixes the newest: that of the highest id, or the
   * last without one. A short number is matched by its own rate alone, and a number that is none of its country's by no
   * rate: either would else be taken for the beginning of an international one.
   */
  match(number: ReadNumber): Rate | null
  /** The rate of each prefix that matches, the longest first. */
  matches(number: ReadNumber): Rate[]
}

/** How numbers match prefixes: the longest that they begin with, an equal one, or none. */
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

/** A deck in the making, to which rates may be added a few at a time. */
export interface DeckBuilder {
  /** Reads the rates once and leaves inactive ones out. */
  add(rates: Iterable<Rate>): void
  /** The deck of all that was added; a change of rates needs a new one. */
  deck(): Deck
}

export function deckBuilder(
  dialling: Pick<Dialling, 'prefix'> = plainDialling(DEFAULT_INTERNATIONAL_PREFIX),
): DeckBuilder {
  const trie = prefixTrie()
  const kept: (Rate | null)[] = [null]
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
    deck: () => deckOf(trie, kept, ignored, dialling),
  }
}

/** The deck of these rates; a change of them needs a new one. */
export function buildDeck(rates: Iterable<Rate>, dialling?: Pick<Dialling, 'prefix'>): Deck {
  const builder = deckBuilder(dialling)
  builder.add(rates)
  return builder.deck()
}

function deckOf(
  trie: PrefixTrie,
  kept: readonly (Rate | null)[],
  ignored: readonly Rate[],
  dialling: Pick<Dialling, 'prefix'>,
): Deck {
  const rateAt = (index: number): Rate | null => kept[index] ?? null
  const longest = (digits: string): Rate | null => rateAt(trie.longest(digits))
  const whole = (digits: string): Rate | null => {
    const rate = longest(digits)
    return rate && dialling.prefix(rate.prefix) === digits ? rate : null
  }
  const match: Deck['match'] = ({ kind, digits }) => {
    const matching = MATCHED_BY[kind]
    return matching === 'longest' ? longest(digits) : matching === 'whole' ? whole(digits) : null
  }
  return {
    size: kept.length - 1,
    ignored,
    match,
    matches: number => {
      if (MATCHED_BY[number.kind] !== 'longest') return [match(number) ?? []].flat()
      return trie.all(number.digits).flatMap(index => rateAt(index) ?? [])
    },
  }
}

const age = ({ id }: Rate): number => id ?? Number.POSITIVE_INFINITY

/** Does this rate replace an earlier one with the same prefix? */
export const isNewer = (rate: Rate, other: Rate): boolean => age(rate) >= age(other)

/** Keeps `rate` unless the one kept at `rival` (0: none) for the same prefix is newer; returns where it is kept. */
function newest(kept: (Rate | null)[], rate: Rate, rival: number): number {
  const other = kept[rival]
  if (!other) return kept.push(rate) - 1
  if (isNewer(rate, other)) kept[rival] = rate
  return rival
}
