import { isJsonObject } from '../json.ts'
import { type Dialling, plainDialling, plannedDialling } from './dialling.ts'
import { internationalPrefixOf } from './number.ts'
import { countries, type Plan, planOf } from './plan.ts'

/** The members of a tenant's `settings.dialling`, all optional. */
export const DIALLING_KEYS = ['country', 'area_code', 'international_prefix'] as const

/** What is wrong with a value of `settings.dialling`, or with one of its members. It counts as absent. */
export interface DiallingProblem {
  /** Below `dialling`; null where that itself is wrong. */
  readonly key: string | null
  /** The end of a sentence that begins with what is wrong: `must be …`. */
  readonly problem: string
  /** What was most likely meant. */
  readonly meant?: string
}

interface ReadSettings {
  readonly plan: Plan | null
  readonly areaCode: string
  /** Null where none is given. */
  readonly internationalPrefix: string | null
  readonly problems: readonly DiallingProblem[]
}

/**
 * How a tenant dials, by its settings: by the plan of `dialling.country`, or else as they come. What is dialled before a
 * country code is `dialling.international_prefix`, else `international_prefix`, else what the country dials, else 00.
 * What cannot be read counts as absent; {@link diallingProblems} tells it.
 */
export function diallingOf(settings: unknown): Dialling {
  const all = isJsonObject(settings) ? settings : {}
  const { plan, areaCode, internationalPrefix } = readSettings(all['dialling'])
  if (!plan) return plainDialling(internationalPrefix ?? internationalPrefixOf(all))
  const hasOldKey = typeof all['international_prefix'] === 'string'
  return plannedDialling({
    ...{ plan, areaCode },
    internationalPrefix: internationalPrefix ?? (hasOldKey ? internationalPrefixOf(all) : null),
  })
}

/** Everything that is wrong with a value of `settings.dialling`; nothing where it is absent or null. */
export const diallingProblems = (dialling: unknown): readonly DiallingProblem[] => readSettings(dialling).problems

function readSettings(dialling: unknown): ReadSettings {
  const nothing = { plan: null, areaCode: '', internationalPrefix: null }
  if (dialling === undefined || dialling === null) return { ...nothing, problems: [] }
  if (!isJsonObject(dialling))
    return { ...nothing, problems: [{ key: null, problem: 'must be an object such as {"country": "DE"}' }] }
  const problems: DiallingProblem[] = []
  const report = (key: string, problem: string, meant?: string): null => {
    problems.push({ key, problem, ...(meant === undefined ? {} : { meant }) })
    return null
  }
  const given = (key: (typeof DIALLING_KEYS)[number]): unknown => dialling[key] ?? undefined
  const plan = countryOf(given('country'), report)
  const areaCode = areaCodeOf(given('area_code'), plan, report)
  if (given('area_code') !== undefined && given('country') === undefined)
    report('area_code', 'needs a country beside it')
  const internationalPrefix = prefixOf(given('international_prefix'), report)
  for (const key of Object.keys(dialling))
    if (!DIALLING_KEYS.some(known => known === key)) report(key, `is not known: ${DIALLING_KEYS.join(', ')} are`)
  return { plan, areaCode, internationalPrefix, problems }
}

type Report = (key: string, problem: string, meant?: string) => null

function countryOf(given: unknown, report: Report): Plan | null {
  if (given === undefined) return null
  const code = typeof given === 'string' ? given.trim().toUpperCase() : ''
  return planOf(code) ?? report('country', 'must be a country by its ISO 3166 code, such as DE', countryMeant(code))
}

/** The ISO 3166 code of a country that is written by its English name or another code. */
function countryMeant(written: string): string | undefined {
  const alias = /^[A-Z]{2}$/.test(written) ? new Intl.Locale(`und-${written}`).region : undefined
  if (alias !== undefined && planOf(alias)) return alias
  const names = new Intl.DisplayNames('en', { type: 'region' })
  return countries().find(country => names.of(country)?.toUpperCase() === written)
}

const WRITTEN_DIGITS = /^[\d\s()./-]*\d[\d\s()./-]*$/

function areaCodeOf(given: unknown, plan: Plan | null, report: Report): string {
  if (given === undefined) return ''
  const digits = typeof given === 'string' && WRITTEN_DIGITS.test(given) ? given.replace(/\D/g, '') : ''
  const areaCode = plan ? withoutTrunk(digits, plan) : digits
  if (areaCode === '') report('area_code', 'must be the digits of an area code as text, such as "212"')
  else if (!plan) return ''
  else if (!plan.mayBeArea(areaCode)) report('area_code', `must be an area code of ${plan.country}`)
  else return areaCode
  return ''
}

const PREFIX = /^[+\d\s.~-]*$/

function prefixOf(given: unknown, report: Report): string | null {
  if (given === undefined) return null
  if (typeof given !== 'string' || !PREFIX.test(given))
    return report('international_prefix', 'must be the digits dialled before a country code as text, such as "011"')
  return given.replace(/\D/g, '')
}

/** An area code is often written with the trunk prefix; where that is 8, area codes may begin with 8 themselves. */
const withoutTrunk = (areaCode: string, { trunk }: Plan): string =>
  trunk !== '8' && trunk !== '' && areaCode.startsWith(trunk) ? areaCode.slice(trunk.length) : areaCode
