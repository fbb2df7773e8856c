import { parseJson } from '../../json.ts'
import { type DecimalMark, decimalIn, SHEET_RULES } from '../../rating/carrier-sheet.ts'
import { type Field, Problem, type Value } from '../../resources/field.ts'
import { SECRET_MARK } from '../../resources/values/secret-mark.ts'
import { unreadOf, unreadProblem } from '../../resources/values/unread.ts'
import { written } from '../../resources/values/written.ts'
import type { Guide } from '../guide.ts'

/** Parses a given field, or returns what is wrong with it. Never returns null. */
export type Reader = (cell: unknown) => Value | Problem

export interface CellRules {
  /** True if every value is text (CSV), so that JSON is given as text. */
  readonly isText: boolean
  readonly decimalComma: boolean
  /** True if values that no rule can read are accepted. */
  readonly force: boolean
  readonly guide: Guide
}

/** Returns the reader of a field: rules for sheets first, then the field's own rule. */
export function readerOf(field: Field, rules: CellRules): Reader {
  const read = sheetReader(field, parserOf(field, rules), rules)
  if (rules.force || !(field.known || field.keys)) return read
  return cell => {
    const value = read(cell)
    const [unread] = value instanceof Problem ? [] : unreadOf(field, value)
    return unread === undefined
      ? value
      : advised(unreadProblem(unread), `; ${rules.guide.name('force')} stores it as it is`)
  }
}

/** Returns the same problem with advice. */
const advised = ({ rule, predicate }: Problem, advice: string): Problem => new Problem(rule, predicate + advice)

const MARK_ADVICE: Readonly<Record<DecimalMark, (option: string) => string>> = {
  point: option => `, which ${option} takes`,
  comma: option => `, where ${option} wants a comma`,
}

function sheetReader(field: Field, parse: Reader, { decimalComma, guide }: CellRules): Reader {
  const rule = field.sheet && SHEET_RULES[field.sheet]
  const read: Reader = rule ? cell => unlessProblem(rule(cell), parse) : parse
  if (field.kind !== 'decimal') return read
  const mark = decimalComma ? 'comma' : 'point'
  return cell => {
    const number = decimalIn(cell, mark)
    return number instanceof Problem ? advised(number, MARK_ADVICE[mark](guide.name('decimalComma'))) : read(number)
  }
}

const unlessProblem = (read: unknown, parse: Reader): Value | Problem => (read instanceof Problem ? read : parse(read))

function parserOf(field: Field, rules: CellRules): Reader {
  if (field.secret) return cell => (cell === SECRET_MARK ? CONCEALED : field.parse(cell))
  if (field.kind === 'json' && rules.isText) return cell => field.parse(jsonIn(cell))
  if (field.kind === 'boolean' || field.dialled) return cell => unlessProblem(written(field, cell), field.parse)
  return field.parse
}

/** Stored as a secret, the mark would become the secret of every record that a list conceals: one that all know. */
const CONCEALED = new Problem(
  'concealed',
  `is ${SECRET_MARK}, which a list shows in its place: import what export writes`,
)

function jsonIn(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell
  try {
    return parseJson(cell)
  } catch {
    return cell
  }
}
