import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import library, { type PhoneNumber } from 'google-libphonenumber'
import { countries, type Plan, planOf } from '../../../core/dialling/plan.ts'
import { type Dialling, plannedDialling } from '../../../core/dialling/read-number.ts'

const { PhoneNumberUtil, PhoneNumberFormat, ShortNumberInfo, metadata, shortnumbermetadata } = library
const util = PhoneNumberUtil.getInstance()

/** The tags of the kinds of numbers in the library's metadata: fixed, mobile, free, premium, shared, personal and so on. */
const KINDS = [2, 3, 4, 5, 6, 7, 8, 21, 25]
const FIXED_LINE = 2
const EMERGENCY = 27
const SHORT_CODE = 29
const OF_EACH_KIND = 20

const planned = (country: string): Plan => {
  const plan = planOf(country)
  assert.ok(plan, country)
  return plan
}
const dialledFrom = (country: string, areaCode = ''): Dialling =>
  plannedDialling({ plan: planned(country), areaCode, internationalPrefix: null })

function patternOf(message: readonly unknown[] | undefined, tag: number): RegExp | null {
  const description = message?.[tag]
  const pattern: unknown = Array.isArray(description) ? description[2] : null
  return typeof pattern === 'string' ? new RegExp(`^(?:${pattern})$`) : null
}

/** Numbers that the library considers valid in a country, some of each kind, the same on each run. */
function numbersOf(country: string, kinds: readonly number[], ofEach: number): PhoneNumber[] {
  const { callingCode } = planned(country)
  return kinds.flatMap(tag => {
    const pattern = patternOf(metadata.countryToMetadata[country], tag)
    const samples = pattern ? new Set(fc.sample(fc.stringMatching(pattern), { numRuns: ofEach, seed: 7 })) : []
    return [...samples]
      .map(national => util.parse(`+${callingCode}${national}`))
      .filter(number => util.isValidNumberForRegion(number, country))
  })
}

const e164 = (number: PhoneNumber): string => util.format(number, PhoneNumberFormat.E164).slice(1)

/** The number as the library reads it; text that it refuses is not a number. */
function readByLibrary(text: string, country: string): string | null {
  try {
    return e164(util.parse(text, country))
  } catch {
    return null
  }
}

describe('numbers are read as libphonenumber reads them', () => {
  const all = countries()
  const numbers = new Map(all.map(country => [country, numbersOf(country, KINDS, OF_EACH_KIND)]))

  /** Dials each number in a way usual in its country, and compares. */
  const compare = (dial: (number: PhoneNumber, country: string, n: number) => { text: string; from: string }): void => {
    let compared = 0
    let others = 0
    const diallings = new Map<string, Dialling>()
    for (const [country, ofCountry] of numbers)
      for (const [n, number] of ofCountry.entries()) {
        const { text, from } = dial(number, country, n)
        const dialling = diallings.get(from) ?? dialledFrom(from)
        diallings.set(from, dialling)
        // Some numbers that the library writes it reads as others, or not at all.
        if (readByLibrary(text, from) !== e164(number)) {
          others++
          continue
        }
        const { kind, digits } = dialling.read(text)
        assert.equal(digits, e164(number), `${text} dialled in ${from} is ${kind} ${digits}`)
        compared++
      }
    assert.ok(compared >= 20_000, `only ${compared} numbers`)
    assert.ok(others < compared / 50, `the library reads ${others} of its numbers as others`)
  }

  test('the sample is large enough', () => {
    assert.ok([...numbers.values()].filter(({ length }) => length > 50).length >= 40)
  })
  test('with a plus', () => {
    compare((number, country) => ({ text: `+${e164(number)}`, from: country }))
  })
  test('with the country code alone, in the country', () => {
    compare((number, country) => ({ text: e164(number), from: country }))
  })
  test('as they are dialled in their country, with the trunk prefix where one is usual', () => {
    compare((number, country, n) => {
      const written = util.format(number, PhoneNumberFormat.NATIONAL)
      return { text: n % 2 === 0 ? written : written.replace(/\D/g, ''), from: country }
    })
  })
  test('when dialled from abroad with the international prefix of that country', () => {
    compare((number, country, n) => {
      const others = all.filter(other => planned(other).callingCode !== planned(country).callingCode)
      const from = others[(n * 31 + country.charCodeAt(0) * 7 + country.charCodeAt(1)) % others.length] ?? country
      return { text: util.formatOutOfCountryCallingNumber(number, from), from }
    })
  })
})

test('numbers of subscribers without their area code are of the area that the tenant names', () => {
  const seen = new Set<string>()
  let compared = 0
  for (const country of countries()) {
    const plan = planned(country)
    for (const number of plan.hasLocal ? numbersOf(country, [FIXED_LINE], 100) : []) {
      const national = util.getNationalSignificantNumber(number)
      const areaLength = util.getLengthOfGeographicalAreaCode(number)
      const local = national.slice(areaLength)
      // Subscribers' numbers begin with neither 0 nor 1, which the library's patterns do not show.
      const isUsual = plan.isLocal(local.length) || (plan.isFull(local.length) && local.length < 9)
      // Some have the digits of a number dialled the same way in the whole country.
      const isWhole = util.isValidNumber(util.parse(`+${plan.callingCode}${local}`))
      if (areaLength === 0 || /^[01]/.test(local) || !isUsual || isWhole) continue
      const { kind, digits } = dialledFrom(country, national.slice(0, areaLength)).read(local)
      assert.equal(digits, e164(number), `${local} in ${country}, area ${national.slice(0, areaLength)}, is ${kind}`)
      compared++
      seen.add(country)
    }
  }
  assert.ok(compared > 2_500 && seen.size >= 40, `${compared} numbers of ${seen.size} countries`)
})

test('emergency and short numbers are recognised, and are not read as international ones', () => {
  const info = ShortNumberInfo.getInstance()
  for (const country of info.getSupportedRegions()) {
    const { callingCode } = planned(country)
    const { read } = dialledFrom(country)
    const message = shortnumbermetadata.countryToMetadata[country]
    for (const tag of [EMERGENCY, SHORT_CODE]) {
      const pattern = patternOf(message, tag)
      for (const number of pattern ? fc.sample(fc.stringMatching(pattern), { numRuns: 20, seed: 7 }) : []) {
        const { kind, digits } = read(number)
        const isEmergency = info.isEmergencyNumber(number, country)
        if (isEmergency)
          assert.deepEqual({ kind, digits }, { kind: 'emergency', digits: callingCode + number }, country)
        else assert.notEqual(kind, 'international', `${number} in ${country} is ${kind} ${digits}`)
      }
    }
  }
})
