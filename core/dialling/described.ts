import type { ReadNumber } from './read-number.ts'

/** Describes a dialled number in words; null if it was read without a plan. */
export function described(number: string, { kind }: ReadNumber, country: string | null): string | null {
  switch (kind) {
    case 'plain':
      return null
    case 'unknown':
      return `${number} is not a number that can be dialled in ${country}`
    case 'area unknown':
      return `${number} is a local number of ${country}, and the tenant has no area_code`
    case 'international':
      return `${number} is an international number`
    case 'national':
    case 'local':
    case 'short':
      return `${number} is a ${kind} number of ${country}`
    case 'emergency':
      return `${number} is an emergency number of ${country}`
  }
}
