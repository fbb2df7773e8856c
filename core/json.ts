import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/** An own-key JSON object. Values may hold a {@link LosslessNumber} where a double would lose digits. */
export type JsonObject = Record<string, unknown>

/** How deep an object given as `settings`, `meta` or a receipt may nest. */
export const MAX_DEPTH = 32

const LONG_OR_EXPONENT = /[\d.]{16}|\d[eE]/
const EXACT_IN_A_DOUBLE = /^-?\d{1,15}$|^-?(?=[\d.]{1,16}$)\d+\.\d+$/

const options = {
  parseNumber: (digits: string) => (EXACT_IN_A_DOUBLE.test(digits) ? Number(digits) : new LosslessNumber(digits)),
  onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue,
}

/**
 * Reads JSON without losing a digit: a number that a double cannot hold comes as a LosslessNumber.
 * Throws SyntaxError, or RangeError when the text nests too deep to be walked.
 */
export const parseJson = (text: string): unknown =>
  LONG_OR_EXPONENT.test(text) ? parse(text, undefined, options) : JSON.parse(text)

/** The inverse of {@link parseJson}, for values that are JSON already; on lines indented by so many spaces, or on one. */
export const stringifyJson = (value: unknown, indent?: number): string => stringify(value, undefined, indent) ?? 'null'

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)

/** True when no object or array stands more than `depth` levels deep. */
export function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return true
  if (depth === 0) return false
  return Object.values(value).every(member => isShallow(member, depth - 1))
}

/** The digits of a JSON number or numeric text as they were written; null for anything else. */
export function numeral(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value
  return isLosslessNumber(value) ? value.value : null
}

/**
 * The same JSON, with escapes for the characters that a terminal acts on and those that reorder text: JSON itself
 * escapes only what is below the space.
 */
export const escapedJson = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The objects of the text of a JSON array. */
export function objects(json: string): JsonObject[] {
  const rows = parseJson(json)
  return Array.isArray(rows) ? rows.filter(isJsonObject) : []
}
