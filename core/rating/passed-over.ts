import type { Dialling, ReadNumber } from '../dialling/read-number.ts'
import { buildDeck, isNewer, type Rate } from './deck.ts'

/** A rate that matches no call because its status is not `active`. */
export interface InactiveRate extends Rate {
  readonly status: string
}

/** Returns the rates that would take precedence over `matching`, or match at all if it is null, if they were active. */
export function passedOver(
  inactive: readonly InactiveRate[],
  dialling: Dialling,
  number: ReadNumber,
  matching: Rate | null,
): InactiveRate[] {
  // Without ids, a deck holds the last rate of each prefix.
  const keyOf = ({ id, prefix }: Rate): string => `${id} ${prefix}`
  const byKey = new Map(inactive.map(rate => [keyOf(rate), rate]))
  const lengthOf = (rate: Rate): number => dialling.prefix(rate.prefix).length
  const isFirst = (rate: Rate): boolean => {
    const longer = matching ? lengthOf(rate) - lengthOf(matching) : 1
    return longer > 0 || (longer === 0 && matching !== null && isNewer(rate, matching))
  }
  const matches = buildDeck(
    inactive.map(rate => ({ ...rate, active: true })),
    dialling,
  ).matches(number)
  return matches.filter(isFirst).flatMap(rate => byKey.get(keyOf(rate)) ?? [])
}
