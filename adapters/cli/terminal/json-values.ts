import { numeral, stringifyJson } from '../../../core/json.ts'

/** Formats a JSON value for a person. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && numeral(value) === null) return stringifyJson(value)
  return String(numeral(value) ?? value)
}
