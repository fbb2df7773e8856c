type Scalar = string | number | boolean | null | Uint8Array

/** What a statement is bound to; an array is bound as a whole. */
export type Bound = Scalar | readonly Scalar[]

/** A statement, or a part of one, and what the marks between its texts are bound to. */
export class Sql {
  readonly texts: readonly string[]
  readonly bound: readonly Bound[]

  /** `texts` are one more than the values between them. */
  constructor(texts: readonly string[], bound: readonly Bound[]) {
    this.texts = texts
    this.bound = bound
  }

  /** With numbered marks, as PostgreSQL has them. */
  get text(): string {
    return this.texts.reduce((text, next, index) => `${text}$${index}${next}`)
  }
}

/** A part that holds no values: text that is derived from declarations, never from what a client sends. */
export const raw = (text: string): Sql => new Sql([text], [])

/** A statement as it is written: parts become parts of it, and any other value is bound. */
export function sql(texts: readonly string[], ...given: readonly (Bound | Sql)[]): Sql {
  const all = [texts[0] ?? '']
  const bound: Bound[] = []
  given.forEach((each, index) => {
    const next = texts[index + 1] ?? ''
    if (each instanceof Sql) {
      all.push(`${all.pop()}${each.texts[0]}`, ...each.texts.slice(1))
      bound.push(...each.bound)
      all.push(`${all.pop()}${next}`)
    } else {
      all.push(next)
      bound.push(each)
    }
  })
  return new Sql(all, bound)
}

/** Parts with the same text between them. */
export const joined = (parts: readonly Sql[], separator: string): Sql =>
  parts.reduce((all, part, index) => (index === 0 ? part : sql`${all}${raw(separator)}${part}`), raw(''))

/** All of the conditions, as a WHERE clause; empty without any. */
export const where = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw('') : sql`WHERE ${joined(conditions, ' AND ')}`
