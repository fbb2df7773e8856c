import type { ReadNumber } from './read-number.ts'

/** Describes a dialled number in words; null if it was read without a plan. */
export function described(given: string, { kind }: ReadNumber, country: string | null): string | null {
  switch (kind) {
    case 'plain':
      return null
    case 'unknown':
      return `${given} is not a number that can be dialled in ${country}`
    case 'area unknown':
      return `${given} is a local number of ${country}, and the tenant has no area_code`
    case 'international':
      return `${given} is an international number`
    case 'national':
    case 'local':
    case 'short':
      return `${given} is a ${kind} number of ${country}`
    case 'emergency':
      return `${given} is an emergency number of ${country}`
  }
}
