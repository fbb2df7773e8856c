import { begins } from './examined-digits.ts'

export const DEFAULT_INTERNATIONAL_PREFIX = '00'

const DIALLED = /^[0-9*#]*$/
const E164 = /^\+[0-9]*$/
const LEADING_PLUS = /^[^\p{L}\p{N}*#]*\+/u
const NOT_DIALLED = /[^\p{L}\p{N}*#]+/gu

/**
 * Normalizes a number, or a rate's prefix, for matching: only the symbols `0-9 * #` remain.
 *
 * - Removes `+`, spaces, punctuation and invisible characters.
 * - Removes the international prefix, unless a `+` stands before the first digit.
 * - Keeps `*` and `#`, since they are dialled: `*98` is a feature code, not a call to the country with code 98.
 * - Returns an empty text, which matches nothing, for anything with a letter (`s`, `voicemail`, `park701`) or a digit of
 *   another script: dropping the letters could bill a call to somewhere that nobody called.
 *
 * `internationalPrefix` is digits; empty removes nothing.
 */
export function dialled(number: string, internationalPrefix: string = DEFAULT_INTERNATIONAL_PREFIX): string {
  if (DIALLED.test(number)) return withoutPrefix(number, internationalPrefix)
  if (E164.test(number)) return number.slice(1)
  const symbols = number.replace(NOT_DIALLED, '')
  if (!DIALLED.test(symbols)) return ''
  return LEADING_PLUS.test(number) ? symbols : withoutPrefix(symbols, internationalPrefix)
}

const withoutPrefix = (digits: string, prefix: string): string =>
  begins(digits, prefix) ? digits.slice(prefix.length) : digits

/**
 * Returns the digits of a tenant's `settings.international_prefix`: empty if it is empty, and `00`, the default, if it
 * is not text.
 */
export function internationalPrefixOf(settings: unknown): string {
  if (typeof settings !== 'object' || settings === null || !('international_prefix' in settings)) {
    return DEFAULT_INTERNATIONAL_PREFIX
  }
  const prefix = settings.international_prefix
  return typeof prefix === 'string' ? prefix.replace(/[^0-9]/g, '') : DEFAULT_INTERNATIONAL_PREFIX
}
