import type { Dialling } from '../dialling/dialling.ts'
import { outsideNumber } from './number-form.ts'

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

/** The longest E.164 number, with an international prefix. */
const LONGEST = 19
/** Up to this length every number is examined, since emergency and short numbers are as short. */
const ALL_OF = 4
/** The first digits that are examined one by one, for numbers of any length. */
const FIRST = 3
const DIGITS = [...'0123456789']
/** The remaining digits of the samples: all different, in no order that a plan would recognise. */
const REST = [
  ...DIGITS.map(digit => digit.repeat(LONGEST)),
  ...['3819274650381927465', '7240953186724095318', '1605837942160583794', '9472016835947201683'],
  ...['5038264917503826491', '2761490853276149085', '8593607214859360721', '6184725093618472509'],
]
const EACH_TURN = 500

/**
 * Returns the forms of numbers that leave the switch, as `Dialling.read` reads them: a table for switches that cannot
 * call it. Assumes that numbers with the same beginning are read alike if some twenty samples are. Gives the event
 * loop a turn between parts.
 */
export async function dialledForms(dialling: Dialling, nextTurn: () => Promise<unknown>): Promise<DialledForm[]> {
  const forms: DialledForm[] = []
  for (const lead of ['', '+'])
    for (let length = 2; length <= LONGEST - lead.length; length++) {
      const found = branches(dialling, lead, length)
      let next = found.next()
      for (; !next.done; next = found.next()) await nextTurn()
      forms.push(...next.value.map(form => ({ ...form, pattern: lead + form.pattern })))
    }
  return forms
}

/** Examines the numbers with this beginning; yields now and then. */
function* branches(dialling: Dialling, begin: string, left: number): Generator<void, DialledForm[]> {
  let looked = 0
  function* below(beginning: string, more: number): Generator<void, readonly DialledForm[]> {
    if (++looked % EACH_TURN === 0) yield
    const depth = beginning.length - begin.length
    const isWhole = depth + more <= ALL_OF ? more === 0 : depth >= FIRST
    const uniform = isWhole ? alike(dialling, beginning, more) : null
    if (uniform) return uniform === 'none' ? [] : [{ ...uniform, pattern: 'X'.repeat(more) }]
    const alternatives = new Map<string, { digits: string; forms: readonly DialledForm[] }>()
    for (const digit of DIGITS) {
      const forms = yield* below(beginning + digit, more - 1)
      const key = JSON.stringify(forms)
      alternatives.set(key, { digits: (alternatives.get(key)?.digits ?? '') + digit, forms })
    }
    return [...alternatives.values()].flatMap(({ digits, forms }) =>
      forms.map(form => ({ ...form, pattern: setOf(digits) + form.pattern })),
    )
  }
  return [...(yield* below(begin, left))]
}

/** Returns how all numbers with this beginning are read; null if it differs. */
function alike(dialling: Dialling, beginning: string, left: number): Rewriting | 'none' | null {
  const [first, ...others] = new Set(REST.map(rest => beginning + rest.slice(0, left)))
  if (first === undefined) return null
  for (const rewriting of rewritings(dialling, first)) {
    if (others.every(other => isReadSo(dialling, other, rewriting))) return rewriting
  }
  return null
}

/** Returns every rewriting that turns a number into what it is read as. */
function rewritings(dialling: Dialling, number: string): (Rewriting | 'none')[] {
  const read = leaving(dialling, number)
  if (!read) return ['none']
  const { kind, digits } = read
  if (kind !== 'e164') return [{ kind, takes: number.length - digits.length, puts: '' }]
  const found: Rewriting[] = []
  for (let takes = number.length; takes >= 0; takes--) {
    const kept = number.slice(takes)
    if (!digits.endsWith(kept)) break
    found.push({ kind, takes, puts: digits.slice(0, digits.length - kept.length) })
  }
  return found.reverse()
}

function isReadSo(dialling: Dialling, number: string, rewriting: Rewriting | 'none'): boolean {
  const read = leaving(dialling, number)
  if (!read || rewriting === 'none') return !read && rewriting === 'none'
  return read.kind === rewriting.kind && read.digits === rewriting.puts + number.slice(rewriting.takes)
}

/** Returns the number that leaves the switch: E.164, or a short one; null if none does. */
function leaving(dialling: Dialling, number: string): { kind: Rewriting['kind']; digits: string } | null {
  const found = outsideNumber(dialling.read(number), dialling)
  if (!found) return null
  if (found.short === null) return { kind: 'e164', digits: found.digits }
  return { kind: found.isEmergency ? 'emergency' : 'short', digits: found.short }
}

const setOf = (digits: string): string => {
  if (digits.length === DIGITS.length) return 'X'
  return digits.length === 1 ? digits : `[${digits}]`
}
