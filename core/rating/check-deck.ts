import type { NumberKind, ReadNumber } from '../dialling/read-number.ts'
import { type AnsweredCall, type RatingCatalog, unratedNow } from './unrated-now.ts'

export interface CheckedRate {
  readonly id: number
  readonly prefix: string
  readonly destination: string
  readonly active: boolean
}

/** What an operator should check in a tenant's rates. Rates are named by id and prefix. */
export interface DeckFindings {
  /** Active rates of one prefix, in any spelling: the newest (first) is used, the others never are. */
  readonly duplicates: readonly (readonly CheckedRate[])[]
  /** Active rates that rated no call of the period. */
  readonly unmatched: readonly CheckedRate[]
  /** Active rates whose prefix cannot be dialled. */
  readonly unusable: readonly CheckedRate[]
  /** Inactive rates for a prefix without an active rate. */
  readonly idle: readonly CheckedRate[]
  /** Beginnings of dialled numbers without a rate, with the number of calls, most first. */
  readonly missing: readonly MissingRate[]
  /** Active rates by which an unrated call would cost more than an amount can hold. */
  readonly excessive: readonly CheckedRate[]
  /** Unrated calls that would be rated now, or cost nothing. */
  readonly ratable: number
}

export interface MissingRate {
  /** The prefix for the missing rate. */
  readonly prefix: string
  readonly kind: NumberKind
  readonly calls: number
}

/**
 * Unrated calls to one number, of equal length, that started while the same deck was in force, with the first start.
 */
export interface UnratedCalls extends AnsweredCall {
  readonly calls: number
}

const SHOWN_DIGITS = 5

export function checkDeck(
  rates: readonly CheckedRate[],
  used: ReadonlySet<number>,
  unrated: readonly UnratedCalls[],
  catalog: RatingCatalog,
): DeckFindings {
  const { dialling } = catalog
  const digitsOf = (rate: CheckedRate): string => dialling.prefix(rate.prefix)
  const nowRated = unrated.map(each => ({ ...each, ...unratedNow(each, catalog) }))
  const excessive = new Set(nowRated.flatMap(({ kind, rate }) => (kind === 'too large' ? rate.id : [])))
  const active = new Map<string, CheckedRate[]>()
  for (const rate of rates) {
    if (!rate.active) continue
    const digits = digitsOf(rate)
    const same = active.get(digits)
    if (same) same.push(rate)
    else active.set(digits, [rate])
  }
  const usable = [...active].filter(([digits]) => digits !== '')
  const ratable = nowRated.filter(({ kind }) => kind === 'rated' || kind === 'free')
  return {
    duplicates: usable.filter(([, same]) => same.length > 1).map(([, same]) => same.sort((a, b) => b.id - a.id)),
    unmatched: usable.flatMap(([, same]) => same).filter(({ id }) => !used.has(id)),
    unusable: active.get('') ?? [],
    idle: rates.filter(rate => !rate.active && !active.has(digitsOf(rate))),
    missing: byBeginning(nowRated.filter(({ kind }) => kind === 'no match' || kind === 'no deck')),
    excessive: rates.filter(({ id }) => excessive.has(id)),
    ratable: ratable.reduce((sum, { calls }) => sum + calls, 0),
  }
}

/**
 * Short numbers, and numbers that the country does not have, appear whole: only a rate for that very number would
 * match.
 */
function byBeginning(unrated: readonly (UnratedCalls & { readonly read: ReadNumber })[]): MissingRate[] {
  const missing = new Map<string, MissingRate>()
  for (const { number, calls, read } of unrated) {
    const isWhole = ['short', 'area unknown', 'unknown'].includes(read.kind)
    const prefix = (isWhole ? read.digits : read.digits.slice(0, SHOWN_DIGITS)) || number
    const key = `${read.kind} ${prefix}`
    missing.set(key, { prefix, kind: read.kind, calls: (missing.get(key)?.calls ?? 0) + calls })
  }
  return [...missing.values()].sort((a, b) => b.calls - a.calls)
}
