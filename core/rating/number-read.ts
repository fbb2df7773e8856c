import { described } from '../dialling/described.ts'
import { dialled } from '../dialling/dialled-symbols.ts'
import type { Dialling, ReadNumber } from '../dialling/read-number.ts'

/** Describes what a dialled number is read as and which rates match it. */
export function numberRead(number: string, read: ReadNumber, dialling: Dialling): string {
  const { country, areaCode } = dialling
  const { kind, digits } = read
  const what = described(number, read, country)
  switch (kind) {
    case 'national':
      return `${what}: ${digits}`
    case 'local':
      return `${what}, area code ${areaCode}: ${digits}`
    case 'short':
    case 'emergency':
      return `${what}: only a rate for ${ratesFor(number, digits, dialling)} matches it`
    case 'area unknown':
    case 'unknown':
      return `${what}: no rate matches it`
    default:
      return `${number} is matched as ${digits || 'nothing: it has no digits to match'}`
  }
}

/**
 * Returns the prefixes that a rate for a short number may have: with the country code, and without it unless that is
 * another country's.
 */
function ratesFor(number: string, digits: string, dialling: Dialling): string {
  const alone = dialled(number, '')
  return dialling.prefix(alone) === digits ? `${alone} or ${digits}` : digits
}
