export type Scalar = string | number | boolean | null | Uint8Array

/** A bound value; an array is bound as one value. */
export type Bound = Scalar | readonly Scalar[]

/** A statement, or a part of one, with the values bound to the marks between its texts. */
export class Sql {
  readonly texts: readonly string[]
  readonly bound: readonly Bound[]
  #text: string | undefined

  /** There is one more text than there are values. */
  constructor(texts: readonly string[], bound: readonly Bound[]) {
    this.texts = texts
    this.bound = bound
  }

  /** With numbered marks, as PostgreSQL writes them. */
  get text(): string {
    this.#text ??= this.texts.reduce((text, next, index) => `${text}$${index}${next}`)
    return this.#text
  }

  /** The same statement with other values: its text is put together only once. */
  with(bound: readonly Bound[]): Sql {
    const same = new Sql(this.texts, bound)
    same.#text = this.text
    return same
  }
}

/** SQL without values: text derived from declarations, never from client input. */
export const raw = (text: string): Sql => new Sql([text], [])

/** Builds a statement from a template: parts are inserted, other values are bound. */
export function sql(texts: readonly string[], ...values: readonly (Bound | Sql)[]): Sql {
  const all = [texts[0] ?? '']
  const bound: Bound[] = []
  values.forEach((each, index) => {
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

/** Joins parts with a separator. */
export const joined = (parts: readonly Sql[], separator: string): Sql =>
  parts.reduce((all, part, index) => (index === 0 ? part : sql`${all}${raw(separator)}${part}`), raw(''))

/** Joins all conditions into a WHERE clause; empty without any. */
export const where = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw('') : sql`WHERE ${joined(conditions, ' AND ')}`
