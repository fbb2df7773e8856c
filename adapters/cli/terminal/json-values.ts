import { numeral, stringifyJson } from '../../../core/json.ts'

/** A JSON value as a person reads it. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && numeral(value) === null) return stringifyJson(value)
  return String(numeral(value) ?? value)
}
