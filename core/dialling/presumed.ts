import { isTimeZone } from '../dates.ts'
import { dialled } from './dialled-symbols.ts'
import { callingCodeOf, countries, countriesWith, isInternational, planOf } from './plan.ts'
import { plannedDialling } from './read-number.ts'

/** What hints at the country of a tenant that has not set one. */
export interface Clues {
  /** An IANA name. */
  readonly timezone: string
  /** The tenant's DID numbers, as written. */
  readonly dids: readonly string[]
}

/**
 * Returns the country that a tenant most likely dials from, by its E.164 DIDs and time zone; null if none stands out.
 */
export function presumedCountry({ timezone, dids }: Clues): string | null {
  const code = mostFrequent(
    dids
      .map(did => dialled(did))
      .filter(isInternational)
      .map(callingCodeOf),
  )
  const nearby = (code === null ? countries() : countriesWith(code)).filter(country => hasZone(country, timezone))
  const [first = null, ...others] = nearby
  if (code === null) return others.length === 0 ? first : null
  return first ?? countriesWith(code)[0] ?? null
}

function mostFrequent(texts: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

const zones = new Map<string, readonly unknown[]>()

function hasZone(country: string, timezone: string): boolean {
  if (!isTimeZone(timezone)) return false
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions()
  const countryZones = zones.get(country) ?? zonesOf(country)
  zones.set(country, countryZones)
  return countryZones.includes(timeZone)
}

function zonesOf(country: string): readonly unknown[] {
  const locale: object = new Intl.Locale(`und-${country}`)
  return 'timeZones' in locale && Array.isArray(locale.timeZones) ? locale.timeZones : []
}

/**
 * Returns a test for numbers that can only be dialled within the country; without a country, for those with a single
 * leading 0.
 */
export function nationalNumbers(country: string | null): (number: string) => boolean {
  const plan = country === null ? null : planOf(country)
  if (!plan) return number => /^0[1-9]\d/.test(dialled(number, ''))
  const { read } = plannedDialling({ plan, areaCode: '', internationalPrefix: null })
  return number => {
    const { kind, digits } = read(number)
    if (kind === 'national') return digits !== dialled(number)
    return kind === 'area unknown' || kind === 'short' || kind === 'emergency'
  }
}

/**
 * Returns a function that gives the E.164 form of a number that is national in this country, but was rated by digits
 * that begin like another country's number without being one: such a call was billed as if it went there. Null for all
 * others.
 */
export function nationalAlone(country: string): (number: string, digits: string) => string | null {
  const plan = planOf(country)
  if (!plan) return () => null
  const { read } = plannedDialling({ plan, areaCode: '', internationalPrefix: null })
  return (number, digits) => {
    const code = callingCodeOf(digits)
    if (code === '' || code === plan.callingCode || isInternational(digits)) return null
    const { kind, digits: whole } = read(number)
    return kind === 'national' && whole !== digits ? whole : null
  }
}
