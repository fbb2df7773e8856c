import type { Dialling, ReadNumber } from '../../core/dialling/dialling.ts'

/** What a dialled number is read as, in words. */
export function numberRead(given: string, { kind, digits }: ReadNumber, { country, areaCode }: Dialling): string {
  switch (kind) {
    case 'national':
      return `${given} is a national number of ${country}: ${digits}`
    case 'local':
      return `${given} is a local number of ${country}, area code ${areaCode}: ${digits}`
    case 'short':
      return `${given} is a short number of ${country}: only a rate for ${digits} matches it`
    case 'emergency':
      return `${given} is an emergency number of ${country}: only a rate for ${digits} matches it`
    case 'area unknown':
      return `${given} is a local number of ${country}, and the tenant has no area_code: no rate matches it`
    case 'unknown':
      return `${given} is no number that is dialled in ${country}: no rate matches it`
    default:
      return `${given} is matched as ${digits || 'nothing: it has no digits to match'}`
  }
}
