import type { Value } from '../../../core/resources/field.ts'
import type { Row } from '../../../core/resources/resource.ts'

/** What a statement is bound to. */
export type Bound = string | number | null

export const toSql = (value: Value | undefined): Bound => (typeof value === 'boolean' ? Number(value) : (value ?? null))

/** That columns hold these values, as a condition and what it is bound to. */
export const holding = (where: Row): { readonly condition: string; readonly bound: readonly Bound[] } => ({
  condition: Object.keys(where)
    .map(name => `${name} = ?`)
    .join(' AND '),
  bound: Object.values(where).map(toSql),
})
