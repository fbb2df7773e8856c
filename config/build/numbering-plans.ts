/**
 * Writes core/dialling/numbering-plans.ts from the metadata of libphonenumber; `npm run plans`. The fields of a line are
 * separated by blanks, with `-` for an empty one:
 *
 * 1. the region (ISO 3166), or the calling code if that belongs to no region;
 * 2. its calling code; lines of one code are together, with the main region first;
 * 3. the international prefix;
 * 4. the trunk prefix;
 * 5. what is removed from a national number, if that is not just the trunk prefix, and
 * 6. how its groups are rearranged;
 * 7. the lengths of national numbers;
 * 8. the lengths of numbers dialled without the area code;
 * 9. national numbers;
 * 10. national numbers dialled without the trunk prefix, if there is one;
 * 11. emergency numbers;
 * 12. short numbers that can be called.
 *
 * Patterns match digits as a whole, and `.` is any digit.
 */
import { writeFileSync } from 'node:fs'
import library from 'google-libphonenumber'

const { metadata, shortnumbermetadata } = library

type Message = readonly unknown[]

/** The tags of a region's fields; the fields about numbers are descriptions. */
const TAG = {
  general: 1,
  fixedLine: 2,
  mobile: 3,
  tollFree: 4,
  premiumRate: 5,
  kinds: [2, 3, 4, 5, 6, 7, 8, 21, 25],
  services: [4, 5, 6, 7, 8, 25],
  callingCode: 10,
  internationalPrefix: 11,
  nationalPrefix: 12,
  nationalPrefixForParsing: 15,
  transformRule: 16,
  formats: 19,
  internationalFormats: 20,
  emergency: 27,
  shortCode: 29,
  standardRate: 30,
  smsServices: 33,
} as const
const DESCRIPTION = { pattern: 2, lengths: 9, localLengths: 10 } as const
const FORMAT = { pattern: 1, leadingDigits: 3, nationalPrefixRule: 4, prefixIsOptional: 6 } as const
/** In short numbers, the tags of rates mean other fields. */
const SHORT = { tollFree: 3, premiumRate: 4 } as const

const NONE = '-'

const text = (message: Message | undefined, tag: number): string => {
  const value = message?.[tag]
  return typeof value === 'string' ? value.replaceAll('\\d', '.') : ''
}

const messages = (message: Message | undefined, tag: number): readonly unknown[] => {
  const value = message?.[tag]
  return Array.isArray(value) ? value : []
}

const inner = (message: Message | undefined, tag: number): Message => messages(message, tag)

const lengths = (description: Message, tag: number): number[] =>
  messages(description, tag).flatMap(length => (typeof length === 'number' && length > 0 ? length : []))

/** Joins the patterns that are not empty. */
const oneOf = (patterns: readonly string[]): string =>
  [...new Set(patterns.filter(pattern => pattern !== ''))].join('|')

const grouped = (pattern: string): string => (pattern.includes('|') ? `(?:${pattern})` : pattern)

function lineOf(region: string, code: string): string {
  const plan = metadata.countryToMetadata[region]
  const general = inner(plan, TAG.general)
  const full = lengths(general, DESCRIPTION.lengths)
  const local = localLengths(plan, general)
  const trunk = text(plan, TAG.nationalPrefix)
  const parsing = text(plan, TAG.nationalPrefixForParsing)
  const short = shortnumbermetadata.countryToMetadata[region]
  const fields = [
    region,
    code,
    text(plan, TAG.internationalPrefix),
    trunk,
    parsing === trunk ? '' : parsing,
    text(plan, TAG.transformRule),
    full.join(),
    local.join(),
    numbers(plan, general, local),
    trunk === '' ? '' : dialledBare(plan, trunk, fullKinds(plan, general, local)),
    text(inner(short, TAG.emergency), DESCRIPTION.pattern),
    callable(short),
  ]
  return fields.map(field => field || NONE).join(' ')
}

const localLengths = (plan: Message | undefined, general: Message): number[] => {
  const found = [general, inner(plan, TAG.fixedLine), inner(plan, TAG.mobile)].flatMap(description =>
    lengths(description, DESCRIPTION.localLengths),
  )
  return [...new Set(found)].sort((a, b) => a - b)
}

/**
 * The general pattern is lax. At a length that numbers without an area code share, only numbers of a full kind count.
 */
function numbers(plan: Message | undefined, general: Message, local: readonly number[]): string {
  const pattern = text(general, DESCRIPTION.pattern)
  if (local.length === 0) return pattern
  const others = `(?!(?:${local.map(length => `.{${length}}`).join('|')})$)(?:${pattern})`
  return oneOf([others, fullKinds(plan, general, local)])
}

/** The kinds of full numbers that may be as short as numbers without their area code. */
function fullKinds(plan: Message | undefined, general: Message, local: readonly number[]): string {
  const full = lengths(general, DESCRIPTION.lengths)
  const kinds = TAG.kinds
    .map(tag => inner(plan, tag))
    .filter(kind => ownLengths(kind, full).some(length => local.includes(length)))
  return oneOf(kinds.map(kind => text(kind, DESCRIPTION.pattern)))
}

/** A description without lengths has those of its region. */
const ownLengths = (description: Message, ofRegion: readonly number[]): readonly number[] => {
  const own = messages(description, DESCRIPTION.lengths)
  return own.length > 0 ? lengths(description, DESCRIPTION.lengths) : ofRegion
}

/**
 * Returns the national numbers that are written, and so dialled, without the trunk prefix. The first matching format
 * decides; a number without a format is written as it is. A format that is not used internationally, where others are,
 * is for services or for numbers without their area code.
 */
function dialledBare(plan: Message | undefined, trunk: string, unformatted: string): string {
  const nameOf = (format: Message): string =>
    `${format[FORMAT.pattern]} ${messages(format, FORMAT.leadingDigits).at(-1)}`
  const abroad = formatsOf(plan, TAG.internationalFormats).map(nameOf)
  const services = `(?=(?:${oneOf(TAG.services.map(tag => text(inner(plan, tag), DESCRIPTION.pattern))) || '(?!)'})$)`
  return formatsOf(plan, TAG.formats).reduceRight((following, format) => {
    const leading = messages(format, FORMAT.leadingDigits).at(-1)
    const start = typeof leading === 'string' ? `(?=${leading.replaceAll('\\d', '.')})` : ''
    const digits = `.${digitsOf(text(format, FORMAT.pattern))}`
    const isBare = !text(format, FORMAT.nationalPrefixRule).includes(trunk) || format[FORMAT.prefixIsOptional] === 1
    if (!isBare) return following === '' ? '' : `(?!${start}${digits}$)${grouped(following)}`
    const isWhole = abroad.length === 0 || abroad.includes(nameOf(format))
    return oneOf([`${start}${isWhole ? '' : services}${digits}`, following])
  }, unformatted)
}

const formatsOf = (plan: Message | undefined, tag: number): Message[] =>
  messages(plan, tag).filter(format => Array.isArray(format))

/** Turns `(\d{2})(\d{3,4})` into `{5,6}` digits. */
function digitsOf(pattern: string): string {
  if (!/^(?:\(\.(?:\{\d+(?:,\d+)?\})?\))+$/.test(pattern)) throw new Error(`${pattern} is no format of digits.`)
  let least = 0
  let most = 0
  for (const [, from = '1', to = from] of pattern.matchAll(/\(\.(?:\{(\d+)(?:,(\d+))?\})?\)/g)) {
    least += Number(from)
    most += Number(to)
  }
  return least === most ? `{${least}}` : `{${least},${most}}`
}

/** Returns the short numbers except those that only take messages. */
function callable(short: Message | undefined): string {
  const pattern = (tag: number): string => text(inner(short, tag), DESCRIPTION.pattern)
  const all = pattern(TAG.shortCode)
  const messagesOnly = pattern(TAG.smsServices)
  if (messagesOnly === '') return all
  const priced = oneOf([SHORT.tollFree, SHORT.premiumRate, TAG.standardRate, TAG.emergency].map(pattern))
  return oneOf([priced, `(?!(?:${messagesOnly})$)${grouped(all)}`])
}

/** Returns the text of core/dialling/numbering-plans.ts. */
export function numberingPlans(): string {
  const lines = Object.entries(metadata.countryCodeToRegionCodeMap).flatMap(([code, regions]) =>
    regions.map(region => lineOf(region === '001' ? code : region, code)),
  )
  return `/**
 * The numbering plans of the world, from the metadata of libphonenumber (Apache License 2.0, The Libphonenumber
 * Authors). Generated by \`npm run plans\`: do not edit. config/build/numbering-plans.ts explains the fields.
 */
export const NUMBERING_PLANS = \`
${lines.join('\n')}
\`
`
}

if (process.argv[1]?.endsWith('numbering-plans.ts'))
  writeFileSync(new URL('../../core/dialling/numbering-plans.ts', import.meta.url), numberingPlans())
