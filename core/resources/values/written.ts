import { dialled } from '../../dialling/dialled-symbols.ts'
import { type Field, Problem } from '../field.ts'

/**
 * Reads what people type and spreadsheets hold, more strictly than what a program sends: a value that is more likely a
 * mistake is a problem. Returns what the field's parser gets.
 */
export function written({ kind, dialled: dials }: Pick<Field, 'kind' | 'dialled'>, given: unknown): unknown {
  if (kind === 'boolean') return truthIn(given) ?? new Problem('type', `must be yes or no, not ${shown(given)}`)
  if (dials === undefined || typeof given !== 'string' || PLAIN.test(given)) return given
  return exactly(given) ?? exponentIn(given) ?? (dials === 'number' ? numberIn(given) : given)
}

const YES: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 'on', 'yes'])
const NO: ReadonlySet<unknown> = new Set([false, 0, '0', 'false', 'off', 'no'])

/** Reads yes or no, ignoring case; null for anything else. */
function truthIn(given: unknown): boolean | null {
  const word = typeof given === 'string' ? given.trim().toLowerCase() : given
  if (YES.has(word)) return true
  return NO.has(word) ? false : null
}

const SHOWN = 40

const shown = (given: unknown): string =>
  (typeof given === 'string' ? given.trim() : (JSON.stringify(given) ?? '')).slice(0, SHOWN)

const PLAIN = /^\+?\d+$/

const numberIn = (given: string): string | Problem =>
  dialled(given, '') === '' ? new Problem('format', `must be a number that can be dialled, not ${shown(given)}`) : given

/** Longer than any number in a spreadsheet. It bounds the input of a pattern that backtracks. */
const LONGEST = 64
const EXPONENT = /^\s*[+-]?[\d.,]*\d[\d.,]*[eE][+-]?\d+\s*$/

/** Returns what is wrong with a number that has an exponent; null for any other text. */
export const exponentIn = (text: string): Problem | null =>
  text.length <= LONGEST && EXPONENT.test(text)
    ? new Problem(
        'precision',
        `holds ${text.trim()}, which a spreadsheet made of a long number: make its column text and export it again`,
      )
    : null

/** Returns the text in `="…"`, which spreadsheets never convert; null for any other text. */
export function exactly(text: string): string | null {
  const cell = text.trim()
  const quoted = cell.startsWith('="') && cell.endsWith('"') ? cell.slice(2, -1) : ''
  return quoted.trim() === '' ? null : quoted.replaceAll('""', '"')
}

export const exact = (text: string): string => `="${text.replaceAll('"', '""')}"`

/** Returns a text that `written` reads as the given one: itself, or in the form that `exactly` reads. */
export const asWritten = (field: Pick<Field, 'kind' | 'dialled'>, text: string): string =>
  written(field, text) === text ? text : exact(text)
