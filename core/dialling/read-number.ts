import { has, NO_DIGITS } from './automaton.ts'
import { dialled } from './dialled-symbols.ts'
import { begins } from './examined-digits.ts'
import { beginsInternational, callingCodeLength, IS, isInternational, type Plan } from './plan.ts'

/**
 * What a number is where it was dialled.
 *
 * - `plain`: a feature code, or any number of a tenant without a country; `digits` lack the international prefix.
 * - `international`, `national`, `local`: `digits` are E.164, without the plus.
 * - `short`, `emergency`: `digits` are the country code and the number, as in 1411.
 * - `area unknown`: a local number of a tenant without an area code; `digits` are as dialled.
 * - `unknown`: not a number of the country's plan; `digits` are as dialled.
 */
export type NumberKind =
  | 'plain'
  | 'international'
  | 'national'
  | 'local'
  | 'short'
  | 'emergency'
  | 'area unknown'
  | 'unknown'

export interface ReadNumber {
  readonly kind: NumberKind
  /** The same digits for a number however it was dialled; empty if it is not a number. */
  readonly digits: string
}

/** How to read the numbers that a tenant's phones dial, receive and own. */
export interface Dialling {
  /** Equal for settings that read all numbers alike. */
  readonly key: string
  /** ISO 3166; null if numbers are read without a plan. */
  readonly country: string | null
  readonly areaCode: string
  read(number: string): ReadNumber
  /** Returns the beginning of `read(…).digits` that a rate's prefix stands for; empty if it stands for nothing. */
  prefix(prefix: string): string
}

export function plainDialling(internationalPrefix: string): Dialling {
  const digits = (number: string): string => dialled(number, internationalPrefix)
  return {
    key: `/${internationalPrefix}`,
    country: null,
    areaCode: '',
    read: number => ({ kind: 'plain', digits: digits(number) }),
    prefix: digits,
  }
}

export interface PlannedDialling {
  readonly plan: Plan
  /** Without the trunk prefix; empty if unknown. */
  readonly areaCode: string
  /** The international prefix, instead of the plan's; empty if there is none, null for the plan's. */
  readonly internationalPrefix: string | null
}

const SHORT = IS.emergency | IS.short
const LEADING_PLUS = /^[^\p{L}\p{N}*#]*\+/u
/** Short service numbers begin so; subscriber numbers do not. */
const isService = (digits: string): boolean => begins(digits, '0') || begins(digits, '1')
/** The most digits of a local number. */
const LONGEST_LOCAL = 9

export function plannedDialling(planned: PlannedDialling): Dialling {
  const { plan, areaCode } = planned
  const dialledHere = reader(planned)
  const e164 = (digits: string, is: number): ReadNumber =>
    has(plan, digits, is, SHORT) && !isInternational(digits)
      ? dialledHere(digits, is)
      : { kind: 'international', digits: withoutInnerTrunk(plan, digits) }
  const read = (number: string): ReadNumber => {
    const hasPlus = number.startsWith('+')
    const digits = hasPlus ? number.slice(1) : number
    const is = plan.match(digits)
    if (is !== NO_DIGITS) return hasPlus ? e164(digits, is) : dialledHere(digits, is)
    const symbols = dialled(number, '')
    const isWritten = plan.match(symbols)
    if (isWritten === NO_DIGITS) return { kind: 'plain', digits: symbols }
    return LEADING_PLUS.test(number) ? e164(symbols, isWritten) : dialledHere(symbols, isWritten)
  }
  const key = `${plan.country}/${planned.internationalPrefix ?? 'plan'}/${areaCode}`
  return { key, country: plan.country, areaCode, read, prefix: prefixReader(planned) }
}

/** Reads digits that were dialled in the plan's country; `is` says what they can be there. */
function reader({ plan, areaCode, internationalPrefix }: PlannedDialling): (digits: string, is: number) => ReadNumber {
  const { callingCode, trunk } = plan
  const isNational = (digits: string): boolean => has(plan, digits, plan.match(digits), IS.national)
  const national = (digits: string): ReadNumber => ({ kind: 'national', digits: callingCode + digits })
  const international = (digits: string): ReadNumber => ({
    kind: 'international',
    digits: withoutInnerTrunk(plan, digits),
  })

  /** Returns the number after the international prefix; empty if there is none. */
  const abroad = (digits: string, is: number): string => {
    if (internationalPrefix !== null) return afterPrefix(digits, internationalPrefix)
    if (!has(plan, digits, is, IS.abroad)) return ''
    const rest = digits.slice(plan.internationalPrefix(digits))
    if (plan.hasOneInternationalPrefix) return rest
    // Some countries' international prefixes are also country codes, such as 994 in Finland.
    return (begins(digits, '0') ? callingCodeLength(rest) > 0 : isInternational(rest)) ? rest : ''
  }
  /** Returns the national number of one dialled without its area code; empty if it is none. */
  const local = (digits: string): string => {
    const { length } = digits
    // One digit more, since Argentina dials 15 before mobile numbers of eight.
    if (areaCode === '' || !plan.hasLocal || begins(digits, '0') || length > LONGEST_LOCAL + 1) return ''
    const whole = areaCode + digits
    const found = plan.national(trunk + whole)
    const isUsual = plan.isLocal(length) || (plan.isFull(length) && length <= LONGEST_LOCAL) || found !== whole
    return isUsual && isNational(found) ? found : ''
  }
  /** Reads digits that may be a number of this country or of another. */
  const ambiguous = (digits: string, ownNumber: string): ReadNumber => {
    const nearby = local(digits)
    if (nearby !== '') return { kind: 'local', digits: callingCode + nearby }
    if (plan.isLocal(digits.length)) return { kind: areaCode === '' ? 'area unknown' : 'unknown', digits }
    if (isInternational(digits)) return international(digits)
    if (begins(digits, '00') && isInternational(digits.slice(2))) return international(digits.slice(2))
    const isDialledAsOwn = begins(digits, '0') && ownNumber !== digits && plan.isFull(ownNumber.length)
    return isDialledAsOwn || isNational(ownNumber) ? national(ownNumber) : { kind: 'unknown', digits }
  }
  return (digits, is) => {
    if (has(plan, digits, is, IS.emergency)) return { kind: 'emergency', digits: callingCode + digits }
    if (has(plan, digits, is, IS.short) && (isService(digits) || local(digits) === ''))
      return { kind: 'short', digits: callingCode + digits }
    const rest = abroad(digits, is)
    if (rest !== '') return international(rest)
    const nearby = plan.isLocal(digits.length) && !has(plan, digits, is, IS.national) ? local(digits) : ''
    if (nearby !== '') return { kind: 'local', digits: callingCode + nearby }
    if (has(plan, digits, is, IS.own) && !has(plan, digits, is, IS.national)) return { kind: 'national', digits }
    if (has(plan, digits, is, IS.ownTrunk) && !has(plan, digits, is, IS.national))
      return national(digits.slice(callingCode.length + trunk.length))
    if (has(plan, digits, is, IS.trunk)) return national(digits.slice(trunk.length))
    const ownNumber = has(plan, digits, is, IS.prefixed) ? plan.national(digits) : digits
    const isCertain = ownNumber === digits ? has(plan, digits, is, IS.bare) : isNational(ownNumber)
    return isCertain ? national(ownNumber) : ambiguous(digits, ownNumber)
  }
}

const afterPrefix = (digits: string, prefix: string): string =>
  prefix !== '' && begins(digits, prefix) ? digits.slice(prefix.length) : ''

/** Removes a trunk prefix written behind the country code, as in +44 (0)20. */
function withoutInnerTrunk(plan: Plan, digits: string): string {
  const { callingCode, trunk, match } = plan
  if (!begins(digits, callingCode)) return digits
  const is = match(digits)
  return has(plan, digits, is, IS.ownTrunk) && !has(plan, digits, is, IS.own)
    ? callingCode + digits.slice(callingCode.length + trunk.length)
    : digits
}

/**
 * Reads a rate's prefix as the beginning of an E.164 number. What cannot be one is read as dialled: a short number, or
 * one with the international or else the trunk prefix.
 */
function prefixReader({ plan, internationalPrefix }: PlannedDialling): (prefix: string) => string {
  const { callingCode, trunk } = plan
  return prefix => {
    const digits = dialled(prefix, internationalPrefix ?? '')
    const is = plan.match(digits)
    if (is === NO_DIGITS || LEADING_PLUS.test(prefix)) return digits
    if (is & SHORT && !beginsInternational(digits)) return callingCode + digits
    if (!digits.startsWith('0')) return digits
    const taken = internationalPrefix === null ? plan.internationalPrefix(digits) : 0
    if (taken > 0) return digits.slice(taken)
    if (digits.startsWith('00')) return digits.slice(2)
    return callingCode + (trunk !== '' && digits.startsWith(trunk) ? digits.slice(trunk.length) : digits)
  }
}
