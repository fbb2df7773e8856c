import type { Dialling, ReadNumber } from '../dialling/dialling.ts'
import { buildDeck, isNewer, type Rate } from './deck.ts'

/** A rate that matches no call, since its status is not `active`. */
export interface InactiveRate extends Rate {
  readonly status: string
}

/** The rates that would match a number, and before `matching` or where none matches, if they were active. */
export function passedOver(
  inactive: readonly InactiveRate[],
  dialling: Dialling,
  number: ReadNumber,
  matching: Rate | null,
): InactiveRate[] {
  // Of those without an id, the last of a prefix is the one that a deck has.
  const keyOf = ({ id, prefix }: Rate): string => `${id} ${prefix}`
  const known = new Map(inactive.map(rate => [keyOf(rate), rate]))
  const lengthOf = (rate: Rate): number => dialling.prefix(rate.prefix).length
  const isFirst = (rate: Rate): boolean => {
    const longer = matching ? lengthOf(rate) - lengthOf(matching) : 1
    return longer > 0 || (longer === 0 && matching !== null && isNewer(rate, matching))
  }
  const matches = buildDeck(
    inactive.map(rate => ({ ...rate, active: true })),
    dialling,
  ).matches(number)
  return matches.filter(isFirst).flatMap(rate => known.get(keyOf(rate)) ?? [])
}
