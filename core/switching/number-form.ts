import { begins } from '../dialling/examined-digits.ts'
import { planOf } from '../dialling/plan.ts'
import type { Dialling, ReadNumber } from '../dialling/read-number.ts'
import type { Trunk } from './directory.ts'
import { isFitE164 } from './fit.ts'

/** A number that leaves the switch. */
export interface OutsideNumber {
  /** The digits that permissions, rates and routes match: E.164 without the plus, or country code and short number. */
  readonly digits: string
  /** The number as dialled within the country and nowhere else, such as 112; null for an E.164 number. */
  readonly short: string | null
  readonly isEmergency: boolean
}

/** The standard emergency numbers of phones everywhere. */
const STANDARD_EMERGENCY = ['112', '911']

/** Returns the number that a switch may send to a carrier; null if it is no phone number where it was dialled. */
export function outsideNumber({ kind, digits }: ReadNumber, dialling: Dialling): OutsideNumber | null {
  switch (kind) {
    case 'emergency':
    case 'short':
      return { digits, short: digits.slice(callingCode(dialling).length), isEmergency: kind === 'emergency' }
    case 'plain':
      if (dialling.country !== null) return null
      if (STANDARD_EMERGENCY.some(each => each.length === digits.length && begins(digits, each)))
        return { digits, short: digits, isEmergency: true }
      return isWhole(digits) ? { digits, short: null, isEmergency: false } : null
    case 'international':
    case 'national':
    case 'local':
      return isWhole(digits) ? { digits, short: null, isEmergency: false } : null
    case 'area unknown':
    case 'unknown':
      return null
  }
}

/** True for E.164. Looks at the first digit and the length only. */
const isWhole = (digits: string): boolean => !begins(digits, '0') && isFitE164(digits)

/** Returns the country code of a tenant's phones, which precedes its short numbers; empty without a country. */
export const callingCode = ({ country }: Dialling): string =>
  country === null ? '' : (planOf(country)?.callingCode ?? '')

/** Formats a number for a carrier. A short number is written as dialled, since it has no E.164 form. */
export function inForm(form: Trunk['numberForm'], { digits, short }: OutsideNumber, dialling: Dialling): string {
  if (short !== null) return short
  if (form === 'e164') return `+${digits}`
  return form === 'digits' ? digits : asDialled(digits, dialling)
}

/** International prefixes, the most usual first. */
const INTERNATIONAL = ['00', '011', '0011', '009', '810', '010', '001', '000', '119']

function asDialled(digits: string, { country }: Dialling): string {
  const plan = country === null ? null : planOf(country)
  if (plan && digits.startsWith(plan.callingCode)) return plan.trunk + digits.slice(plan.callingCode.length)
  const prefix = INTERNATIONAL.find(each => plan?.internationalPrefix(each + digits) === each.length)
  return (prefix ?? '00') + digits
}
