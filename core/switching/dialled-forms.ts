import { observed } from '../dialling/examined-digits.ts'
import type { Dialling } from '../dialling/read-number.ts'
import { type OutsideNumber, outsideNumber } from './number-form.ts'

/** How to rewrite dialled digits: remove that many, and put these before the rest. */
export interface Rewriting {
  readonly kind: 'e164' | 'short' | 'emergency'
  readonly takes: number
  readonly puts: string
}

/** Numbers of one length with the same rewriting: digits, `X` for any, and sets such as `[1-357]`; a `+` may lead. */
export interface DialledForm extends Rewriting {
  readonly pattern: string
}

/** The longest number that a phone can dial. */
const LONGEST = 30
const DIGITS = [...'0123456789']
const EACH_TURN = 500

/**
 * Returns the forms of numbers that leave the switch: a table that reads every number as `Dialling.read` does, for
 * switches that cannot call it. Gives the event loop a turn between parts.
 */
export async function dialledForms(dialling: Dialling, nextTurn: () => Promise<unknown>): Promise<DialledForm[]> {
  const forms: DialledForm[] = []
  for (const lead of ['', '+'])
    for (let length = 2; length <= LONGEST - lead.length; length++) {
      const found = branches(dialling, lead, length)
      let next = found.next()
      for (; !next.done; next = found.next()) await nextTurn()
      forms.push(...next.value)
    }
  return forms
}

type Cells = readonly string[]
interface Found extends Rewriting {
  readonly cells: Cells
}

/** Returns the forms of numbers with this many digits after the lead; yields now and then. */
function* branches(dialling: Dialling, lead: string, length: number): Generator<void, DialledForm[]> {
  let looked = 0
  /** Examines the numbers with these digits; `X` is any. */
  function* of(cells: Cells): Generator<void, readonly Found[]> {
    if (++looked % EACH_TURN === 0) yield
    const [number, other] = [lead + filled(cells, '0'), lead + filled(cells, '7')]
    const { places } = observed(() => leaving(dialling, number))
    const at = cells.findIndex((cell, i) => cell === 'X' && places.has(length - 1 - i))
    if (at < 0) {
      const form = rewriting(dialling, number, other)
      return form ? [{ ...form, cells }] : []
    }
    const alternatives = new Map<string, { digits: string; found: readonly Found[] }>()
    for (const digit of DIGITS) {
      const found = yield* of(cells.with(at, digit))
      const key = JSON.stringify(found.map(each => ({ ...each, cells: each.cells.with(at, '') })))
      alternatives.set(key, { digits: (alternatives.get(key)?.digits ?? '') + digit, found })
    }
    return [...alternatives.values()].flatMap(({ digits, found }) =>
      found.map(each => ({ ...each, cells: each.cells.with(at, setOf(digits)) })),
    )
  }
  const found = yield* of(Array.from({ length }, () => 'X'))
  return found.map(({ cells, ...form }) => ({ ...form, pattern: lead + cells.join('') }))
}

const filled = (cells: Cells, digit: string): string => cells.join('').replaceAll('X', digit)

const leaving = (dialling: Dialling, number: string): OutsideNumber | null =>
  outsideNumber(dialling.read(number), dialling)

/** Returns how a number is rewritten, given another that is rewritten alike; null if they do not leave the switch. */
function rewriting(dialling: Dialling, number: string, other: string): Rewriting | null {
  const [read, otherRead] = [leaving(dialling, number), leaving(dialling, other)]
  if (!read || !otherRead) return null
  const { short, isEmergency, digits } = read
  if (short !== null)
    return { kind: isEmergency ? 'emergency' : 'short', takes: number.length - short.length, puts: '' }
  let takes = 0
  while (!digits.endsWith(number.slice(takes)) || !otherRead.digits.endsWith(other.slice(takes))) takes++
  return { kind: 'e164', takes, puts: digits.slice(0, digits.length - number.length + takes) }
}

const setOf = (digits: string): string => {
  if (digits.length === DIGITS.length) return 'X'
  return digits.length === 1 ? digits : `[${digits}]`
}
