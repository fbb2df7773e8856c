import { type Automaton, automaton } from './automaton.ts'
import { type PlanLine, planLines } from './plan-lines.ts'

/** What a number can be that is dialled in a country; more than one where its digits leave that open. */
export const IS = {
  emergency: 1,
  short: 2,
  /** A national number, with no trunk prefix, of any country that has the calling code. */
  national: 4,
  /** A national number that is dialled without the trunk prefix. */
  bare: 8,
  /** The trunk prefix and a national number. */
  trunk: 16,
  /** The calling code and a national number, and those with the trunk prefix between. */
  own: 32,
  ownTrunk: 64,
  /** What is dialled before a country code, and such a code. */
  abroad: 128,
  /** What `Plan.national` may take something off. */
  prefixed: 256,
} as const

/** How numbers are dialled in one country. All texts are digits; a national number has no trunk prefix. */
export interface Plan {
  /** ISO 3166. */
  readonly country: string
  readonly callingCode: string
  /** The trunk prefix, such as 0; empty where there is none. */
  readonly trunk: string
  /** The sum of what of `IS` the digits can be; NO_DIGITS for what are none. */
  readonly match: Automaton['match']
  /** How many of the first digits are what is dialled before a country code; 0 where there are none. */
  internationalPrefix(digits: string): number
  /** True where that is always the same digits, and those begin with 0, as no country code does. */
  readonly hasOneInternationalPrefix: boolean
  /** What is left of a dialled number without trunk prefix, carrier code and the like. */
  national(digits: string): string
  /** How many digits national numbers have, and those that are dialled without their area code. */
  isFull(length: number): boolean
  isLocal(length: number): boolean
  /** True where numbers are dialled without their area code. */
  readonly hasLocal: boolean
  /** True for digits that national numbers may begin with, and leave room for a local number behind them. */
  mayBeArea(digits: string): boolean
}

const LITERAL = /^[0-9]*$/
const COUNTRY = /^[A-Z]{2}$/

/** The countries whose plans are known, by their ISO 3166 codes. */
export const countries = (): string[] => [...planLines().byRegion.keys()].filter(region => COUNTRY.test(region)).sort()

const plans = new Map<string, Plan>()

/** The plan of a country, by its ISO 3166 code; null where none is known. */
export function planOf(country: string): Plan | null {
  const line = planLines().byRegion.get(country)
  if (!line || !COUNTRY.test(country)) return null
  const plan = plans.get(country) ?? compiled(line)
  plans.set(country, plan)
  return plan
}

/** The countries of a calling code, the main one first; none for a code that belongs to none. */
export const countriesWith = (callingCode: string): string[] =>
  (planLines().byCode.get(callingCode) ?? []).map(({ region }) => region).filter(region => COUNTRY.test(region))

let ofCodes: Automaton | null = null

/** How many of the first digits are a calling code; 0 where there is none such. */
export function callingCodeLength(digits: string): number {
  ofCodes ??= automaton([[...planLines().byCode.keys()].join('|')])
  return ofCodes.beginning(digits)
}

/** The calling code that the digits of a number begin with; empty where there is none such. */
export const callingCodeOf = (digits: string): string => digits.slice(0, callingCodeLength(digits))

let ofAllNumbers: Automaton | null = null

function international(): Automaton {
  ofAllNumbers ??= automaton([[...planLines().byCode.keys()].map(code => `${code}(?:${numbersOf(code)})`).join('|')])
  return ofAllNumbers
}

/** True for a country code with what can be a number there. */
export const isInternational = (digits: string): boolean => international().match(digits) === 1

/** True for what such numbers may begin with. */
export const beginsInternational = (digits: string): boolean => international().begin(digits) === 1

/** A pattern of what can be a national number in the countries of a calling code. */
function numbersOf(callingCode: string): string {
  const sharing = planLines().byCode.get(callingCode) ?? []
  return [...new Set(sharing.map(({ numbers }) => numbers))].join('|')
}

function compiled(line: PlanLine): Plan {
  const { callingCode, trunk, lengths, localLengths, emergency, short } = line
  const national = `(?:${numbersOf(callingCode)})`
  // Formats of a calling code stand in the line of its main country.
  const bare = trunk === '' ? national : (planLines().byCode.get(callingCode)?.[0]?.bare ?? '')
  const withTrunk = trunk === '' ? '' : trunk + national
  const withCode = callingCode + national
  const abroad = `(?:${line.internationalPrefix})(?:${[...planLines().byCode.keys()].join('|')}).*`
  const prefixed = line.taken && `(?:(?!$)(?:${line.taken.replaceAll('$', '')})).*`
  const { match, begin } = automaton([
    ...[emergency, short, national, bare && `(?=${national}$)(?:${bare})`],
    ...[withTrunk, withCode, withTrunk && callingCode + withTrunk, line.internationalPrefix && abroad, prefixed],
  ])
  return {
    ...{ country: line.region, callingCode, trunk, match },
    internationalPrefix: beginning(line.internationalPrefix),
    hasOneInternationalPrefix: /^0[0-9]*$/.test(line.internationalPrefix),
    national: withoutTrunk(line, digits => (match(digits) & IS.national) !== 0),
    isFull: length => lengths.includes(length),
    isLocal: length => localLengths.includes(length),
    hasLocal: localLengths.length > 0,
    mayBeArea: digits =>
      (begin(digits) & IS.national) !== 0 &&
      (localLengths.length === 0 ||
        [...localLengths, ...lengths].some(length => lengths.includes(digits.length + length))),
  }
}

/** Tells how many of the first digits match. */
const beginning = (pattern: string): ((digits: string) => number) =>
  LITERAL.test(pattern) ? digits => (digits.startsWith(pattern) ? pattern.length : 0) : automaton([pattern]).beginning

/** Takes off what libphonenumber takes off: nothing where that would make no number of one, or leave too little. */
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
  if (LITERAL.test(taken)) return digits => (digits.startsWith(taken) ? digits.slice(taken.length) : digits)
  const expression = new RegExp(`^(?:${taken})`)
  return digits => {
    const match = expression.exec(digits)
    if (!match) return digits
    const isTransformed = transform !== '' && match.length > 1 && Boolean(match.at(-1))
    return isTransformed ? digits.replace(expression, transform) : digits.slice(match[0].length)
  }
}
