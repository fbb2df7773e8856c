import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/** A JSON object's own members. Values may hold a {@link LosslessNumber} where a double would lose digits. */
export type JsonObject = Record<string, unknown>

/** The deepest nesting of a `settings` or `meta` object, or a receipt. */
export const MAX_DEPTH = 32

const LONG_OR_EXPONENT = /[\d.]{16}|\d[eE]/
const EXACT_IN_A_DOUBLE = /^-?\d{1,15}$|^-?(?=[\d.]{1,16}$)\d+\.\d+$/

const options = {
  parseNumber: (digits: string) => (EXACT_IN_A_DOUBLE.test(digits) ? Number(digits) : new LosslessNumber(digits)),
  onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue,
}

/**
 * Parses JSON without losing a digit: a number that a double cannot hold becomes a LosslessNumber. Throws SyntaxError,
 * or RangeError if the text nests too deep to walk.
 */
export const parseJson = (text: string): unknown =>
  LONG_OR_EXPONENT.test(text) ? parse(text, undefined, options) : JSON.parse(text)

/**
 * Returns what keeps a text from being JSON as its writer meant it, with line and column, such as
 * `Comma ',' expected after value but got '"' in line 3, column 5`; null if nothing does. A name that an object has
 * twice, with different values, is a fault: only the last one would count.
 */
export function faultIn(text: string): string | null {
  const at = (position: number): string => {
    const before = text.slice(0, position).split('\n')
    return `in line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
  }
  try {
    parse(text, undefined, {
      onDuplicateKey: ({ key, position }) => {
        throw new SyntaxError(`${JSON.stringify(key)} is there a second time at position ${position - 1}`)
      },
    })
    return null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return String(error.message).replace(/at position (\d+)$/, (_, position) => at(Number(position)))
  }
}

/**
 * The inverse of {@link parseJson}, for values that are JSON already; `indent` is the number of spaces, and without it
 * the text is one line.
 */
export const stringifyJson = (value: unknown, indent?: number): string => stringify(value, undefined, indent) ?? 'null'

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)

/** True if no object or array is nested more than `depth` levels deep. */
export function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return true
  if (depth === 0) return false
  return Object.values(value).every(member => isShallow(member, depth - 1))
}

/** Returns the digits of a JSON number or numeric text as written; null for anything else. */
export function numeral(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value
  return isLosslessNumber(value) ? value.value : null
}

/**
 * Returns the same JSON, escaping characters that control a terminal or reorder text: JSON itself escapes only those
 * below the space.
 */
export const escapedJson = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Returns the objects of a JSON array. */
export function objects(json: string): JsonObject[] {
  const rows = parseJson(json)
  return Array.isArray(rows) ? rows.filter(isJsonObject) : []
}
