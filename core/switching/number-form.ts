import type { Dialling, ReadNumber } from '../dialling/dialling.ts'
import { planOf } from '../dialling/plan.ts'
import type { Trunk } from './directory.ts'
import { isFitE164 } from './fit.ts'

/** A number that leaves the switch. */
export interface OutsideNumber {
  /** By which permissions, rates and routes are found: E.164 without the plus, or country code and short number. */
  readonly digits: string
  /** What is dialled within the country and nowhere else, such as 112; null for a number of E.164. */
  readonly short: string | null
  readonly isEmergency: boolean
}

/** The standard numbers that telephones dial for help wherever they are. */
const STANDARD_EMERGENCY = ['112', '911']

/** The number that a switch may send to a carrier; null for what is no telephone number where it was dialled. */
export function outsideNumber({ kind, digits }: ReadNumber, dialling: Dialling): OutsideNumber | null {
  switch (kind) {
    case 'emergency':
    case 'short':
      return { digits, short: digits.slice(callingCode(dialling).length), isEmergency: kind === 'emergency' }
    case 'plain':
      if (dialling.country !== null) return null
      if (STANDARD_EMERGENCY.includes(digits)) return { digits, short: digits, isEmergency: true }
      return isFitE164(digits) ? { digits, short: null, isEmergency: false } : null
    case 'international':
    case 'national':
    case 'local':
      return isFitE164(digits) ? { digits, short: null, isEmergency: false } : null
    case 'area unknown':
    case 'unknown':
      return null
  }
}

/** The country code of a tenant's telephones, which stands before its short numbers; empty where there is none. */
export const callingCode = ({ country }: Dialling): string =>
  country === null ? '' : (planOf(country)?.callingCode ?? '')

/** How a number is written to a carrier. A short number is written as it is dialled, since it is none of E.164. */
export function inForm(form: Trunk['numberForm'], { digits, short }: OutsideNumber, dialling: Dialling): string {
  if (short !== null) return short
  if (form === 'e164') return `+${digits}`
  return form === 'digits' ? digits : asDialled(digits, dialling)
}

/** What is dialled before a country code, the most usual first. */
const INTERNATIONAL = ['00', '011', '0011', '009', '810', '010', '001', '000', '119']

function asDialled(digits: string, { country }: Dialling): string {
  const plan = country === null ? null : planOf(country)
  if (plan && digits.startsWith(plan.callingCode)) return plan.trunk + digits.slice(plan.callingCode.length)
  const prefix = INTERNATIONAL.find(each => plan?.internationalPrefix(each + digits) === each.length)
  return (prefix ?? '00') + digits
}
