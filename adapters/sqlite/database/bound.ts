import type { Value } from '../../../core/resources/field.ts'
import type { Row } from '../../../core/resources/resource.ts'

/** A value bound to a statement. */
export type Bound = string | number | null

export const toSql = (value: Value | undefined): Bound => (typeof value === 'boolean' ? Number(value) : (value ?? null))

/** Returns the SQL condition that columns hold these values, with the values to bind. */
export const holding = (where: Row): { readonly condition: string; readonly bound: readonly Bound[] } => ({
  condition: Object.keys(where)
    .map(name => `${name} = ?`)
    .join(' AND '),
  bound: Object.values(where).map(toSql),
})
