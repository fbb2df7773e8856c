import { dialled } from '../../dialling/dialled-symbols.ts'
import { type Field, Problem } from '../field.ts'

/**
 * Reads what people type and spreadsheets hold, more strictly than what a program sends: a value that is more likely a
 * mistake is a problem. Returns what the field's parser gets.
 */
export function written({ kind, dialled: dials }: Pick<Field, 'kind' | 'dialled'>, input: unknown): unknown {
  if (kind === 'boolean') return truthIn(input) ?? new Problem('type', `must be yes or no, not ${shown(input)}`)
  if (dials === undefined || typeof input !== 'string' || PLAIN.test(input)) return input
  return exactly(input) ?? exponentIn(input) ?? (dials === 'number' ? numberIn(input) : input)
}

const YES: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 'on', 'yes'])
const NO: ReadonlySet<unknown> = new Set([false, 0, '0', 'false', 'off', 'no'])

/** Reads yes or no, ignoring case; null for anything else. */
function truthIn(input: unknown): boolean | null {
  const word = typeof input === 'string' ? input.trim().toLowerCase() : input
  if (YES.has(word)) return true
  return NO.has(word) ? false : null
}

const SHOWN = 40

const shown = (input: unknown): string =>
  (typeof input === 'string' ? input.trim() : (JSON.stringify(input) ?? '')).slice(0, SHOWN)

const PLAIN = /^\+?\d+$/

const numberIn = (text: string): string | Problem =>
  dialled(text, '') === '' ? new Problem('format', `must be a number that can be dialled, not ${shown(text)}`) : text

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
