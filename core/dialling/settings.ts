import { isJsonObject } from '../json.ts'
import { internationalPrefixOf } from './dialled-symbols.ts'
import { countries, type Plan, planOf } from './plan.ts'
import { type Dialling, plainDialling, plannedDialling } from './read-number.ts'

/** The members of a tenant's `settings.dialling`, all optional. */
export const DIALLING_KEYS = ['country', 'area_code', 'international_prefix'] as const

/** What is wrong with `settings.dialling` or with one of its members. A wrong value counts as absent. */
export interface DiallingProblem {
  /** The member; null if `dialling` itself is wrong. */
  readonly key: string | null
  /** The end of a sentence about the value: `must be …`. */
  readonly problem: string
  /** The most likely intended value. */
  readonly meant?: string
}

interface ReadSettings {
  readonly plan: Plan | null
  readonly areaCode: string
  /** Null if not given. */
  readonly internationalPrefix: string | null
  readonly problems: readonly DiallingProblem[]
}

/**
 * Returns how a tenant dials: by the plan of `dialling.country`, or without a plan. The international prefix is
 * `dialling.international_prefix`, else `international_prefix`, else the plan's, else 00. Unreadable members count as
 * absent; {@link diallingProblems} reports them.
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

/** Returns everything that is wrong with `settings.dialling`; nothing if it is absent or null. */
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
  const memberAt = (key: (typeof DIALLING_KEYS)[number]): unknown => dialling[key] ?? undefined
  const plan = countryOf(memberAt('country'), report)
  const areaCode = areaCodeOf(memberAt('area_code'), plan, report)
  if (memberAt('area_code') !== undefined && memberAt('country') === undefined)
    report('area_code', 'needs a country as well')
  const internationalPrefix = prefixOf(memberAt('international_prefix'), report)
  for (const key of Object.keys(dialling))
    if (!DIALLING_KEYS.some(name => name === key)) report(key, `is not known: ${DIALLING_KEYS.join(', ')} are`)
  return { plan, areaCode, internationalPrefix, problems }
}

type Report = (key: string, problem: string, meant?: string) => null

function countryOf(value: unknown, report: Report): Plan | null {
  if (value === undefined) return null
  const code = typeof value === 'string' ? value.trim().toUpperCase() : ''
  return planOf(code) ?? report('country', 'must be a country by its ISO 3166 code, such as DE', countryMeant(code))
}

/** Returns the ISO 3166 code of a country given by its English name or another code. */
function countryMeant(written: string): string | undefined {
  const alias = /^[A-Z]{2}$/.test(written) ? new Intl.Locale(`und-${written}`).region : undefined
  if (alias !== undefined && planOf(alias)) return alias
  const names = new Intl.DisplayNames('en', { type: 'region' })
  return countries().find(country => names.of(country)?.toUpperCase() === written)
}

const WRITTEN_DIGITS = /^[\d\s()./-]*\d[\d\s()./-]*$/

function areaCodeOf(value: unknown, plan: Plan | null, report: Report): string {
  if (value === undefined) return ''
  const digits = typeof value === 'string' && WRITTEN_DIGITS.test(value) ? value.replace(/\D/g, '') : ''
  const areaCode = plan ? withoutTrunk(digits, plan) : digits
  if (areaCode === '') report('area_code', 'must be the digits of an area code as text, such as "212"')
  else if (!plan) return ''
  else if (!plan.mayBeArea(areaCode)) report('area_code', `must be an area code of ${plan.country}`)
  else return areaCode
  return ''
}

const PREFIX = /^[+\d\s.~-]*$/

function prefixOf(value: unknown, report: Report): string | null {
  if (value === undefined) return null
  if (typeof value !== 'string' || !PREFIX.test(value))
    return report('international_prefix', 'must be the digits dialled before a country code as text, such as "011"')
  return value.replace(/\D/g, '')
}

/** People often write an area code with the trunk prefix. Where that is 8, area codes may really begin with 8. */
const withoutTrunk = (areaCode: string, { trunk }: Plan): string =>
  trunk !== '8' && trunk !== '' && areaCode.startsWith(trunk) ? areaCode.slice(trunk.length) : areaCode
