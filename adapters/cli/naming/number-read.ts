import type { Dialling, ReadNumber } from '../../../core/dialling/dialling.ts'
import { dialled } from '../../../core/dialling/number.ts'

/** What a dialled number is read as, in words. */
export function numberRead(given: string, { kind, digits }: ReadNumber, dialling: Dialling): string {
  const { country, areaCode } = dialling
  switch (kind) {
    case 'national':
      return `${given} is a national number of ${country}: ${digits}`
    case 'local':
      return `${given} is a local number of ${country}, area code ${areaCode}: ${digits}`
    case 'short':
      return `${given} is a short number of ${country}: only a rate for ${ratesFor(given, digits, dialling)} matches it`
    case 'emergency':
      return `${given} is an emergency number of ${country}: only a rate for ${ratesFor(given, digits, dialling)} matches it`
    case 'area unknown':
      return `${given} is a local number of ${country}, and the tenant has no area_code: no rate matches it`
    case 'unknown':
      return `${given} is no number that is dialled in ${country}: no rate matches it`
    default:
      return `${given} is matched as ${digits || 'nothing: it has no digits to match'}`
  }
}

/** The prefixes that stand for a short number: with the country code, and alone where that is no other country's. */
function ratesFor(given: string, digits: string, dialling: Dialling): string {
  const alone = dialled(given, '')
  return dialling.prefix(alone) === digits ? `${alone} or ${digits}` : digits
}
