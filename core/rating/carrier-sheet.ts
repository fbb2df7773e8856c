import { dialled } from '../dialling/dialled-symbols.ts'
import { numeral } from '../json.ts'
import { type Field, Problem } from '../resources/field.ts'
import { exact, exactly, exponentIn } from '../resources/values/written.ts'

/** How carriers' rate sheets write codes, prices and intervals. */

const DIGITS = /^\+?\d+$/
const CODES = /^[\d+\s,;]*$/

/** Returns a cell that `codesIn` reads as this one code: the code itself, unless it would be read as something else. */
export function codeCell(code: string): string {
  const codes = codesIn(code)
  const isItself = Array.isArray(codes) && codes.length === 1 && codes[0] === code
  return isItself ? code : exact(code)
}

/**
 * Returns the codes in one cell: `61 38,39` is 6138 and 6139. Returns a cell without a comma or semicolon as it is,
 * and of `="61 38,39"` the quoted text.
 */
export function codesIn(text: string): string[] | Problem {
  if (DIGITS.test(text)) return [text]
  const exact = exactly(text)
  if (exact !== null) return [exact]
  const exponent = exponentIn(text)
  if (exponent) return exponent
  if (!/[,;]/.test(text)) return [text]
  if (!CODES.test(text)) return new Problem('format', 'must be one prefix, or several such as 61 38,39')
  let country = ''
  const codes = text.split(/[,;]/).map(part => {
    const [first = '', ...rest] = part.trim().split(/\s+/)
    if (rest.length > 0) country = first
    if (first === '') return ''
    return rest.length > 0 || first.startsWith('+') ? first + rest.join('') : country + first
  })
  return codes.some(code => !DIGITS.test(code))
    ? new Problem('format', 'has an empty or broken code among several')
    : codes
}

const RANGE = /\d\s*(?:[\p{Pd}−/~:…]|\.\.+|to)\s*\d/iu

/** Returns a warning about a code that is kept as written, as a sentence; null if it is digits. */
export function codeWarning(code: string): string | null {
  if (DIGITS.test(code)) return null
  const digits = dialled(code, '')
  const isRange = RANGE.test(code)
  if (digits !== '' && !isRange) return null
  const matched = digits === '' ? 'no number, since a prefix is digits' : `numbers that begin with ${digits}`
  return `${code} is kept, and matches ${matched}${isRange ? '; a range must be written out' : ''}.`
}

const PRICE = /^\d+(?:\.\d{1,4})?$/
const PLACES = /^\s*[+-]?\d*\.\d{4}\d*?[1-9]/

/** Returns the text of a price, which must be exact: nothing is rounded on the way in. */
function priceIn(cell: unknown): string | Problem {
  const text = numeral(cell) ?? ''
  if (PRICE.test(text)) return text
  if (exponentIn(text)) return new Problem('precision', `must be written without an exponent, not ${text.trim()}`)
  if (PLACES.test(text))
    return new Problem('precision', `must not have more than four decimals: ${text.trim()} would be rounded`)
  return text
}

const TWO_INTERVALS = /^\s*(\d+)\s*\/\s*(\d+)\s*$/

/** Returns the one interval of `60` or `60/60`, and anything but a number or text as it is. */
function intervalIn(cell: unknown): unknown {
  const text = numeral(cell)
  const [, first, next] = TWO_INTERVALS.exec(text ?? '') ?? []
  if (first === undefined || next === undefined) return text ?? cell
  if (Number(first) === Number(next)) return first
  return new Problem('format', `must be one interval: ${text?.trim()} has a first and a next one that differ`)
}

type Sheet = NonNullable<Field['sheet']>

/**
 * What each kind of sheet cell hands to the field's parser, or a Problem. A cell of codes holds several values: see
 * `codesIn`.
 */
export const SHEET_RULES: Readonly<Partial<Record<Sheet, (cell: unknown) => unknown>>> = {
  price: priceIn,
  interval: intervalIn,
}

/** The decimal separator of a sheet. */
export type DecimalMark = 'point' | 'comma'

const DECIMAL_COMMA = /^\s*[+-]?\d*,\d+\s*$/

/** Returns the amount with a decimal point; a Problem if it has the other mark. */
export function decimalIn(cell: unknown, mark: DecimalMark): unknown {
  if (typeof cell !== 'string') return cell
  const hasComma = DECIMAL_COMMA.test(cell)
  if (mark === 'point')
    return hasComma ? new Problem('type', `must be a number: ${cell.trim()} has a decimal comma`) : cell
  if (cell.includes('.')) return new Problem('type', `must be a number: ${cell.trim()} has a point`)
  return hasComma ? cell.replace(',', '.') : cell
}
