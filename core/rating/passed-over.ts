import type { Dialling, ReadNumber } from '../dialling/dialling.ts'
import { buildDeck, type Rate } from './deck.ts'

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
  const byId = new Map(inactive.map(rate => [rate.id, rate]))
  const lengthOf = (rate: Rate): number => dialling.prefix(rate.prefix).length
  const isFirst = (rate: Rate): boolean => {
    const longer = matching ? lengthOf(rate) - lengthOf(matching) : 1
    return longer > 0 || (longer === 0 && rate.id > (matching?.id ?? 0))
  }
  const matches = buildDeck(
    inactive.map(rate => ({ ...rate, active: true })),
    dialling,
  ).matches(number)
  return matches.filter(isFirst).flatMap(({ id }) => byId.get(id) ?? [])
}
