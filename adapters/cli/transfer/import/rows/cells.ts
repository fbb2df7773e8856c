import { dialled } from '../../../../../core/dialling/number.ts'
import { numeral, parseJson } from '../../../../../core/json.ts'
import { type Field, Problem, type Value } from '../../../../../core/resources/field.ts'
import { unreadOf, unreadProblem } from '../../../../../core/resources/values/unread.ts'
import { exact, exactly, exponentIn, written } from '../../../../../core/resources/values/written.ts'
import { SECRET_MARK } from '../../../terminal/columns.ts'

/** Reads what is given for one field, or says what is wrong with it. Never null. */
export type Reader = (given: unknown) => Value | Problem

export interface CellRules {
  /** Is the input text alone (CSV), so that JSON stands in it as text? */
  readonly isText: boolean
  readonly decimalComma: boolean
  /** Is what no rule can read taken as well? */
  readonly force: boolean
}

/** The reader of a field: what sheets need looked at first, then the field's own rule. */
export function readerOf(field: Field, rules: CellRules): Reader {
  const read = sheetReader(field, rules)
  if (rules.force || !(field.known || field.keys)) return read
  return given => {
    const value = read(given)
    const [unread] = value instanceof Problem ? [] : unreadOf(field, value)
    return unread === undefined ? value : forceable(unreadProblem(unread))
  }
}

const forceable = ({ rule, predicate }: Problem): Problem =>
  new Problem(rule, `${predicate}; --force stores it as it is`)

function sheetReader(field: Field, rules: CellRules): Reader {
  const sheet = field.sheet === 'price' ? price : field.sheet === 'interval' ? interval : null
  const parse = parserOf(field, rules)
  if (!sheet) return parse
  return given => {
    const read = sheet(field.kind === 'decimal' && rules.decimalComma ? withPoint(given) : given)
    return read instanceof Problem ? read : parse(field.kind === 'decimal' ? given : read)
  }
}

function parserOf(field: Field, rules: CellRules): Reader {
  if (field.secret) return given => (given === SECRET_MARK ? CONCEALED : field.parse(given))
  switch (field.kind) {
    case 'decimal':
      return decimalReader(field, rules)
    case 'date':
      return given => (typeof given === 'string' && plainDate(given)) || field.parse(given)
    case 'json':
      return rules.isText ? given => field.parse(jsonIn(given)) : field.parse
    default:
      return field.kind === 'boolean' || field.dialled ? writtenReader(field) : field.parse
  }
}

const writtenReader =
  (field: Field): Reader =>
  given => {
    const value = written(field, given)
    return value instanceof Problem ? value : field.parse(value)
  }

/** Taken for the secret, it would make the same known one of all that a list conceals. */
const CONCEALED = new Problem(
  'concealed',
  `is ${SECRET_MARK}, which a list shows in its place: import what export writes`,
)

const DECIMAL_COMMA = /^\s*[+-]?\d*,\d+\s*$/

function decimalReader(field: Field, { decimalComma }: CellRules): Reader {
  if (!decimalComma)
    return given =>
      typeof given === 'string' && DECIMAL_COMMA.test(given)
        ? new Problem('type', `must be a number: ${given.trim()} has a decimal comma, which --decimal-comma takes`)
        : field.parse(given)
  return given =>
    typeof given === 'string' && given.includes('.')
      ? new Problem('type', `must be a number: ${given.trim()} has a point, where --decimal-comma wants a comma`)
      : field.parse(withPoint(given))
}

const withPoint = (given: unknown): unknown =>
  typeof given === 'string' && DECIMAL_COMMA.test(given) ? given.replace(',', '.') : given

function jsonIn(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return parseJson(given)
  } catch {
    return given
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/

/**
 * The two forms that nearly all dates have, `YYYY-MM-DD HH:MM:SS` and the one that is stored, without the cost of
 * looking for the others; null for those.
 */
export function plainDate(text: string): string | null {
  const isStored = text.length === 27 && text.charCodeAt(19) === 46 && text.charCodeAt(26) === 90
  if (text.length !== 19 && !isStored) return null
  const separator = text.charCodeAt(10)
  if (separator !== 84 && separator !== 32) return null
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return null
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return null
  if (isStored && !(twoDigits(text, 20) + twoDigits(text, 22) + twoDigits(text, 24) < 300)) return null
  const day = text.slice(0, 10)
  if (!isDay(day)) return null
  if (isStored) return separator === 84 ? text : `${day}T${text.slice(11)}`
  return `${day}T${text.slice(11)}.000000Z`
}

/** The number of two digits, or much more than any. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 1_000
}

/** Rows mostly come in the order of time, so that a day is mostly the last one again. */
let lastDay = ''

function isDay(day: string): boolean {
  if (day === lastDay) return true
  const milliseconds = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(day)) return false
  lastDay = day
  return true
}

const DIGITS = /^\+?\d+$/
const CODES = /^[\d+\s,;]*$/

/** A cell that `codesIn` takes for this one code; the code itself, but where that would be read as something else. */
export function codeCell(code: string): string {
  const codes = codesIn(code)
  const isItself = Array.isArray(codes) && codes.length === 1 && codes[0] === code
  return isItself ? code : exact(code)
}

/**
 * The codes in one cell, `61 38,39` being 6138 and 6139; without a comma or semicolon the cell as it is, and of
 * `="61 38,39"` what is in the quotes.
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

/** What a code that is kept as it came does not mean, as a sentence; null for one that is digits. */
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

/** A price must be there to its last digit: nothing is rounded on the way in. */
function price(given: unknown): Value | Problem {
  const text = numeral(given) ?? ''
  if (PRICE.test(text)) return text
  if (exponentIn(text)) return new Problem('precision', `must be written without an exponent, not ${text.trim()}`)
  if (PLACES.test(text))
    return new Problem('precision', `must not have more than four decimals: ${text.trim()} would be rounded`)
  return text
}

const TWO_INTERVALS = /^\s*(\d+)\s*\/\s*(\d+)\s*$/

function interval(given: unknown): Value | Problem {
  const text = numeral(given)
  const [, first, next] = TWO_INTERVALS.exec(text ?? '') ?? []
  if (first === undefined || next === undefined) return text ?? Number.NaN
  if (Number(first) === Number(next)) return first
  return new Problem('format', `must be one interval: ${text?.trim()} has a first and a next one that differ`)
}
