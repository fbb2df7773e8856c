import { DEFAULT_INTERNATIONAL_PREFIX, dialled } from './number.ts'
import { prefixTrie } from './prefix-trie.ts'

/** One price of a tenant's deck. */
export interface Rate {
  readonly id: number
  /** As the operator wrote it, such as `+380` or `00380`. */
  readonly prefix: string
  /** Units of 0.0001. */
  readonly pricePerMinute: number
  /** Seconds, at least 1. */
  readonly increment: number
  readonly active: boolean
}

/** A tenant's active rates, ready to be matched with numbers as {@link dialled} leaves them. */
export interface Deck {
  /** Taken off the prefixes, and to be taken off the numbers. */
  readonly internationalPrefix: string
  /** How many different prefixes can match. */
  readonly size: number
  /**
   * Active rates whose prefix leaves nothing to compare (`+`, `00`, `n/a`). They match no call: taken as a price for
   * every number, internal ones included, such a prefix would far more often be a slip than a wish.
   */
  readonly ignored: readonly Rate[]
  /** The rate of the longest prefix, on equal prefixes the newest (highest id); null when none matches. */
  match(digits: string): Rate | null
  /** The rate of each prefix that matches, the longest first. */
  matches(digits: string): Rate[]
}

/** Reads the rates once and leaves inactive ones out; a change of rates needs a new deck. */
export function buildDeck(rates: Iterable<Rate>, internationalPrefix: string = DEFAULT_INTERNATIONAL_PREFIX): Deck {
  const trie = prefixTrie()
  const kept: (Rate | null)[] = [null]
  const ignored: Rate[] = []
  for (const rate of rates) {
    if (!rate.active) continue
    const prefix = dialled(rate.prefix, internationalPrefix)
    if (prefix === '') ignored.push(rate)
    else trie.update(prefix, rival => newest(kept, rate, rival))
  }
  const rateAt = (index: number): Rate | null => kept[index] ?? null
  return {
    internationalPrefix,
    size: kept.length - 1,
    ignored,
    match: digits => rateAt(trie.longest(digits)),
    matches: digits => trie.all(digits).flatMap(index => rateAt(index) ?? []),
  }
}

/** Keeps `rate` unless the one kept at `rival` (0: none) for the same prefix is newer; returns where it is kept. */
function newest(kept: (Rate | null)[], rate: Rate, rival: number): number {
  const other = kept[rival]
  if (!other) return kept.push(rate) - 1
  if (rate.id > other.id) kept[rival] = rate
  return rival
}
