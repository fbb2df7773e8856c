/** A pattern of digits as a regular expression: whether it matches here, and what must follow each digit. */
export interface Expression {
  readonly id: number
  /** True if it matches the empty text. */
  readonly isNullable: boolean
  /** Returns what must follow a digit (0 to 9) for the whole to match. */
  after(digit: number): Expression
  /** The alternatives, if it is a choice; null otherwise. */
  readonly choices: readonly Expression[] | null
}

/**
 * Makes each expression once, so that equal ones are the same object. A pattern then has a finite number of
 * derivatives: the states of an automaton.
 */
export function expressions() {
  const byKey = new Map<string, Expression>()
  const once = (
    key: string,
    isNullable: boolean,
    after: (digit: number) => Expression,
    choices: readonly Expression[] | null = null,
  ): Expression => {
    const found = byKey.get(key)
    if (found) return found
    const made = { id: byKey.size, isNullable, after, choices }
    byKey.set(key, made)
    return made
  }
  const nothing: Expression = once('nothing', false, () => nothing)
  const empty: Expression = once('empty', true, () => nothing)
  const anything: Expression = once('anything', true, () => anything)

  /** One digit of a set, given as bits. */
  const oneOf = (digits: number): Expression =>
    once(`[${digits}]`, false, digit => ((digits >> digit) & 1 ? empty : nothing))
  const sequence = (first: Expression, second: Expression): Expression => {
    if (first === nothing || second === nothing) return nothing
    if (first === empty) return second
    if (second === empty) return first
    return once(`${first.id} ${second.id}`, first.isNullable && second.isNullable, digit => {
      const rest = sequence(first.after(digit), second)
      return first.isNullable ? either([rest, second.after(digit)]) : rest
    })
  }
  const either = (alternatives: readonly Expression[]): Expression => {
    const flat = new Set(alternatives.flatMap(one => one.choices ?? [one]))
    flat.delete(nothing)
    const choices = [...flat].sort((a, b) => a.id - b.id)
    const [first = nothing, ...others] = choices
    if (others.length === 0) return first
    const isNullable = choices.some(one => one.isNullable)
    const key = choices.map(({ id }) => id).join('|')
    return once(key, isNullable, digit => either(choices.map(one => one.after(digit))), choices)
  }
  const both = (one: Expression, other: Expression): Expression => {
    if (one === nothing || other === nothing) return nothing
    if (one === other || other === anything) return one
    if (one === anything) return other
    const isNullable = one.isNullable && other.isNullable
    return once(`${one.id}&${other.id}`, isNullable, digit => both(one.after(digit), other.after(digit)))
  }
  const not = (one: Expression): Expression =>
    one === nothing ? anything : once(`!${one.id}`, !one.isNullable, digit => not(one.after(digit)))
  const repeat = (one: Expression, least: number, most: number): Expression => {
    if (most === 0) return empty
    const rest = (): Expression => repeat(one, Math.max(least - 1, 0), most - 1)
    const isNullable = least === 0 || one.isNullable
    return once(`${one.id}{${least},${most}}`, isNullable, digit => sequence(one.after(digit), rest()))
  }
  return { nothing, empty, anything, oneOf, sequence, either, both, not, repeat }
}

export type Expressions = ReturnType<typeof expressions>
