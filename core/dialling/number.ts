export const DEFAULT_INTERNATIONAL_PREFIX = '00'

const DIALLED = /^[0-9*#]*$/
const E164 = /^\+[0-9]*$/
const LEADING_PLUS = /^[^\p{L}\p{N}*#]*\+/u
const NOT_DIALLED = /[^\p{L}\p{N}*#]+/gu

/**
 * The form of a number, or of a rate's prefix, that matching compares: the dialled symbols `0-9 * #` alone.
 *
 * - `+`, spaces, punctuation and invisible characters go.
 * - The international prefix is taken off a number that begins with it, unless a `+` stands before its first digit.
 * - `*` and `#` are dialled, so they stay: `*98` is a feature code, and no call to a country whose code is 98.
 * - What has a letter (`s`, `voicemail`, `park701`), or a digit of another script, is not a number: the result is empty
 *   and matches nothing, since dropping the letters could bill a call to a place that nobody called.
 *
 * `internationalPrefix` is digits, or empty when there is none to take off.
 */
export function dialled(number: string, internationalPrefix: string = DEFAULT_INTERNATIONAL_PREFIX): string {
  if (DIALLED.test(number)) return withoutPrefix(number, internationalPrefix)
  if (E164.test(number)) return number.slice(1)
  const symbols = number.replace(NOT_DIALLED, '')
  if (!DIALLED.test(symbols)) return ''
  return LEADING_PLUS.test(number) ? symbols : withoutPrefix(symbols, internationalPrefix)
}

const withoutPrefix = (digits: string, prefix: string): string =>
  digits.startsWith(prefix) ? digits.slice(prefix.length) : digits

/**
 * Returns the digits of a tenant's `settings.international_prefix`: empty if it is empty, and `00`, the default, if it
 * is not text.
 */
export function internationalPrefixOf(settings: unknown): string {
  if (typeof settings !== 'object' || settings === null || !('international_prefix' in settings)) {
    return DEFAULT_INTERNATIONAL_PREFIX
  }
  const given = settings.international_prefix
  return typeof given === 'string' ? given.replace(/[^0-9]/g, '') : DEFAULT_INTERNATIONAL_PREFIX
}
