import { type Automaton, automaton, has, NO_DIGITS } from './automaton.ts'
import { begins, isObserved } from './examined-digits.ts'
import { type PlanLine, planLines } from './plan-lines.ts'

/** What digits dialled in a country can be; several bits if the digits leave that open. */
export const IS = {
  emergency: 1,
  short: 2,
  /** A national number, without trunk prefix, of any country that shares the calling code. */
  national: 4,
  /** A national number that is dialled without the trunk prefix. */
  bare: 8,
  /** The trunk prefix and a national number. */
  trunk: 16,
  /** The calling code and a national number; `ownTrunk` has the trunk prefix between them. */
  own: 32,
  ownTrunk: 64,
  /** The international prefix and a country code. */
  abroad: 128,
  /** Something that `Plan.national` may remove a prefix from. */
  prefixed: 256,
} as const

/** How numbers are dialled in one country. All texts are digits; a national number has no trunk prefix. */
export interface Plan {
  /** ISO 3166. */
  readonly country: string
  readonly callingCode: string
  /** The trunk prefix, such as 0; empty if there is none. */
  readonly trunk: string
  /** Returns the sum of the bits of `IS` that the digits can be; NO_DIGITS if they are not digits. */
  readonly match: Automaton['match']
  readonly observe: Automaton['observe']
  /** Returns the length of the international prefix that the digits begin with; 0 if they do not. */
  internationalPrefix(digits: string): number
  /** True if there is only one such prefix and it begins with 0, as no country code does. */
  readonly hasOneInternationalPrefix: boolean
  /** Returns a dialled number without its trunk prefix, carrier code and the like. */
  national(digits: string): string
  /** True for a length of national numbers; `isLocal` for one of those dialled without the area code. */
  isFull(length: number): boolean
  isLocal(length: number): boolean
  /** True if numbers can be dialled without the area code. */
  readonly hasLocal: boolean
  /** True for digits that begin national numbers and leave room for a local number after them. */
  mayBeArea(digits: string): boolean
}

const LITERAL = /^[0-9]*$/
const COUNTRY = /^[A-Z]{2}$/

/** Returns the countries with a known plan, as ISO 3166 codes. */
export const countries = (): string[] => [...planLines().byRegion.keys()].filter(region => COUNTRY.test(region)).sort()

const plans = new Map<string, Plan>()

/** Returns a country's plan by its ISO 3166 code; null if unknown. */
export function planOf(country: string): Plan | null {
  const line = planLines().byRegion.get(country)
  if (!line || !COUNTRY.test(country)) return null
  const plan = plans.get(country) ?? compiled(line)
  plans.set(country, plan)
  return plan
}

/** Returns the countries of a calling code, the main one first; none if it belongs to no country. */
export const countriesWith = (callingCode: string): string[] =>
  (planLines().byCode.get(callingCode) ?? []).map(({ region }) => region).filter(region => COUNTRY.test(region))

let ofCodes: Automaton | null = null

/** Returns the length of the calling code that the digits begin with; 0 if they begin with none. */
export function callingCodeLength(digits: string): number {
  ofCodes ??= automaton([[...planLines().byCode.keys()].join('|')])
  return ofCodes.beginning(digits)
}

/** Returns the calling code that the digits begin with; empty if they begin with none. */
export const callingCodeOf = (digits: string): string => digits.slice(0, callingCodeLength(digits))

let ofAllNumbers: Automaton | null = null

function international(): Automaton {
  ofAllNumbers ??= automaton([[...planLines().byCode.keys()].map(code => `${code}(?:${numbersOf(code)})`).join('|')])
  return ofAllNumbers
}

/** True for a country code followed by a possible number of that country. */
export function isInternational(digits: string): boolean {
  const all = international()
  const is = all.match(digits)
  return is !== NO_DIGITS && has(all, digits, is, 1)
}

/** True for digits that an international number may begin with. */
export const beginsInternational = (digits: string): boolean => international().begin(digits) === 1

/** A pattern of the possible national numbers in the countries of a calling code. */
function numbersOf(callingCode: string): string {
  const sharing = planLines().byCode.get(callingCode) ?? []
  return [...new Set(sharing.map(({ numbers }) => numbers))].join('|')
}

function compiled(line: PlanLine): Plan {
  const { callingCode, trunk, lengths, localLengths, emergency, short } = line
  const national = `(?:${numbersOf(callingCode)})`
  // The main country's line holds the formats of the whole calling code.
  const bare = trunk === '' ? national : (planLines().byCode.get(callingCode)?.[0]?.bare ?? '')
  const withTrunk = trunk === '' ? '' : trunk + national
  const withCode = callingCode + national
  const abroad = `(?:${line.internationalPrefix})(?:${[...planLines().byCode.keys()].join('|')}).*`
  const prefixed = line.taken && `(?:(?!$)(?:${line.taken.replaceAll('$', '')})).*`
  const own = automaton([
    ...[emergency, short, national, bare && `(?=${national}$)(?:${bare})`],
    ...[withTrunk, withCode, withTrunk && callingCode + withTrunk, line.internationalPrefix && abroad, prefixed],
  ])
  const { match, observe, begin } = own
  return {
    ...{ country: line.region, callingCode, trunk, match, observe },
    internationalPrefix: beginning(line.internationalPrefix),
    hasOneInternationalPrefix: /^0[0-9]*$/.test(line.internationalPrefix),
    national: withoutTrunk(line, digits => has(own, digits, match(digits), IS.national)),
    isFull: length => lengths.includes(length),
    isLocal: length => localLengths.includes(length),
    hasLocal: localLengths.length > 0,
    mayBeArea: digits =>
      (begin(digits) & IS.national) !== 0 &&
      (localLengths.length === 0 ||
        [...localLengths, ...lengths].some(length => lengths.includes(digits.length + length))),
  }
}

/** Returns a function that tells how many of the first digits match. */
const beginning = (pattern: string): ((digits: string) => number) =>
  LITERAL.test(pattern) ? digits => (begins(digits, pattern) ? pattern.length : 0) : automaton([pattern]).beginning

/** Removes the prefixes that libphonenumber removes, unless the rest would be no number or too short. */
function withoutTrunk(line: PlanLine, isNational: (digits: string) => boolean): (digits: string) => string {
  const stripped = stripper(line)
  const longest = Math.max(...line.lengths)
  return digits => {
    const left = stripped(digits)
    if (left === digits || !(line.lengths.includes(left.length) || left.length > longest)) return digits
    return isNational(digits) && !isNational(left) ? digits : left
  }
}

function stripper({ taken, transform }: PlanLine): (digits: string) => string {
  if (LITERAL.test(taken)) return digits => (begins(digits, taken) ? digits.slice(taken.length) : digits)
  const expression = new RegExp(`^(?:${taken})`)
  const moved = movedBy(expression)
  const beginnings = automaton([taken.replaceAll('$', '')])
  return digits => {
    if (isObserved()) beginnings.beginning(digits)
    const match = expression.exec(digits)
    if (!match) return digits
    const isTransformed = transform !== '' && match.length > 1 && Boolean(match.at(-1))
    if (isTransformed && isObserved()) begins(digits, moved(digits))
    return isTransformed ? digits.replace(expression, transform) : digits.slice(match[0].length)
  }
}

/** Returns the beginning whose digits the transform may move; empty if it keeps them in place. */
function movedBy({ source }: RegExp): (digits: string) => string {
  const expression = new RegExp(source, 'd')
  return digits => {
    const match = expression.exec(digits)
    const isAtEnd = match?.indices?.at(-1)?.[1] === match?.[0].length
    return isAtEnd ? '' : (match?.[0] ?? '')
  }
}
