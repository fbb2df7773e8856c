import { described } from '../dialling/described.ts'
import type { Dialling, ReadNumber } from '../dialling/dialling.ts'
import { dialled } from '../dialling/number.ts'

/** What a dialled number is read as, and what rates match it, in words. */
export function numberRead(given: string, read: ReadNumber, dialling: Dialling): string {
  const { country, areaCode } = dialling
  const { kind, digits } = read
  const what = described(given, read, country)
  switch (kind) {
    case 'national':
      return `${what}: ${digits}`
    case 'local':
      return `${what}, area code ${areaCode}: ${digits}`
    case 'short':
    case 'emergency':
      return `${what}: only a rate for ${ratesFor(given, digits, dialling)} matches it`
    case 'area unknown':
    case 'unknown':
      return `${what}: no rate matches it`
    default:
      return `${given} is matched as ${digits || 'nothing: it has no digits to match'}`
  }
}

/** The prefixes that stand for a short number: with the country code, and alone where that is no other country's. */
function ratesFor(given: string, digits: string, dialling: Dialling): string {
  const alone = dialled(given, '')
  return dialling.prefix(alone) === digits ? `${alone} or ${digits}` : digits
}
