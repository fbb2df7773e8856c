import type { Timestamp } from '../dates.ts'
import { charge } from './cost.ts'
import { dialled } from './number.ts'
import type { Catalog } from './record-call.ts'

export interface CheckedRate {
  readonly id: number
  readonly prefix: string
  readonly destination: string
  readonly active: boolean
}

/** What an operator should look at in a tenant's rates. Rates are named by id and prefix. */
export interface DeckFindings {
  /** Active rates of one prefix, however it is written: the newest (first) is used, the others never are. */
  readonly duplicates: readonly (readonly CheckedRate[])[]
  /** Active rates that no call of the period was rated by. */
  readonly unmatched: readonly CheckedRate[]
  /** Active rates whose prefix has nothing that could be dialled. */
  readonly unusable: readonly CheckedRate[]
  /** Inactive rates for whose prefix there is no active one: they neither apply nor give way to another. */
  readonly idle: readonly CheckedRate[]
  /** The beginnings of numbers that were dialled and have no rate, and how many calls went there, the most first. */
  readonly missing: readonly { readonly prefix: string; readonly calls: number }[]
  /** Active rates by which an unrated call would cost more than an amount can hold. */
  readonly excessive: readonly CheckedRate[]
  /** Unrated calls that would be rated now. */
  readonly ratable: number
}

/** Unrated calls to one number, of so many answered seconds each, that started while the same deck was in force. */
export interface UnratedCalls {
  readonly number: string
  /** When the first of them did. */
  readonly startedAt: Timestamp
  readonly seconds: number
  readonly calls: number
}

const SHOWN_DIGITS = 5

export function checkDeck(
  rates: readonly CheckedRate[],
  used: ReadonlySet<number>,
  unrated: readonly UnratedCalls[],
  { internationalPrefix, deckAt }: Pick<Catalog, 'internationalPrefix' | 'deckAt'>,
): DeckFindings {
  const digitsOf = (rate: CheckedRate): string => dialled(rate.prefix, internationalPrefix)
  const nowRated = unrated.map(each => {
    const rate = deckAt(each.startedAt)?.match(dialled(each.number, internationalPrefix)) ?? null
    return { ...each, rate, isExcessive: rate !== null && charge({ ...rate, seconds: each.seconds }) === null }
  })
  const excessive = new Set(nowRated.flatMap(({ rate, isExcessive }) => (rate && isExcessive ? rate.id : [])))
  const active = new Map<string, CheckedRate[]>()
  for (const rate of rates) {
    if (!rate.active) continue
    const digits = digitsOf(rate)
    const same = active.get(digits)
    if (same) same.push(rate)
    else active.set(digits, [rate])
  }
  const usable = [...active].filter(([digits]) => digits !== '')
  return {
    duplicates: usable.filter(([, same]) => same.length > 1).map(([, same]) => same.sort((a, b) => b.id - a.id)),
    unmatched: usable.flatMap(([, same]) => same).filter(({ id }) => !used.has(id)),
    unusable: active.get('') ?? [],
    idle: rates.filter(rate => !rate.active && !active.has(digitsOf(rate))),
    missing: byBeginning(
      nowRated.filter(({ rate }) => !rate),
      internationalPrefix,
    ),
    excessive: rates.filter(({ id }) => excessive.has(id)),
    ratable: nowRated.reduce((sum, { rate, isExcessive, calls }) => sum + (rate && !isExcessive ? calls : 0), 0),
  }
}

function byBeginning(unrated: readonly UnratedCalls[], prefix: string) {
  const counts = new Map<string, number>()
  for (const { number, calls } of unrated) {
    const beginning = dialled(number, prefix).slice(0, SHOWN_DIGITS) || number
    counts.set(beginning, (counts.get(beginning) ?? 0) + calls)
  }
  return [...counts].map(([beginning, calls]) => ({ prefix: beginning, calls })).sort((a, b) => b.calls - a.calls)
}
