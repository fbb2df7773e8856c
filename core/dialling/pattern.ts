import type { Expression, Expressions } from './expressions.ts'

const ANY_DIGIT = 0b11_1111_1111

/**
 * Parses a pattern in the syntax of regular expressions: digits, `.`, `.*`, classes such as `[02-9]`, groups, `|`,
 * `?`, `{n}`, `{n,m}`, and `(?=…)`, `(?=…$)`, `(?!…$)` before a sequence. The pattern matches as a whole. Throws if it
 * is anything else.
 */
export function parsePattern(pattern: string, make: Expressions): Expression {
  let at = 0
  const accept = (text: string): boolean => {
    if (!pattern.startsWith(text, at)) return false
    at += text.length
    return true
  }
  const expect = (text: string): void => {
    if (!accept(text)) throw new Error(`The pattern ${pattern} has no ${text} at ${at}.`)
  }
  const choices = (): Expression => {
    const all = [sequence()]
    while (accept('|')) all.push(sequence())
    return make.either(all)
  }
  const sequence = (): Expression => {
    if (accept('(?!')) return make.both(make.not(condition()), sequence())
    if (accept('(?=')) return make.both(condition(), sequence())
    const isEnd = at === pattern.length || '|)$'.includes(pattern.charAt(at))
    return isEnd ? make.empty : make.sequence(repeated(), sequence())
  }
  /** A lookahead: what follows must match as a whole if it ends in `$`, or else begin so. */
  const condition = (): Expression => {
    const all = choices()
    const isWhole = accept('$')
    expect(')')
    return isWhole ? all : make.sequence(all, make.anything)
  }
  const repeated = (): Expression => {
    const one = single()
    if (accept('?')) return make.repeat(one, 0, 1)
    if (!accept('{')) return one
    const least = count()
    const most = accept(',') ? count() : least
    expect('}')
    return make.repeat(one, least, most)
  }
  const count = (): number => {
    const digits = /^\d+/.exec(pattern.slice(at))?.[0] ?? ''
    at += digits.length
    return Number(digits)
  }
  const single = (): Expression => {
    if (accept('.*')) return make.anything
    if (accept('.')) return make.oneOf(ANY_DIGIT)
    if (accept('[')) return make.oneOf(classOfDigits())
    if (accept('(')) {
      accept('?:')
      const group = choices()
      expect(')')
      return group
    }
    return make.oneOf(1 << digit())
  }
  const digit = (): number => {
    const value = pattern.charCodeAt(at) - 48
    if (!(value >= 0 && value <= 9)) throw new Error(`The pattern ${pattern} has no digit at ${at}.`)
    at++
    return value
  }
  const classOfDigits = (): number => {
    let digits = 0
    while (!accept(']')) {
      const first = digit()
      const last = accept('-') ? digit() : first
      for (let each = first; each <= last; each++) digits |= 1 << each
    }
    return digits
  }
  const whole = choices()
  if (at < pattern.length) throw new Error(`The pattern ${pattern} cannot be read from ${at} on.`)
  return whole
}
