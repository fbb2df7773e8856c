import type { Value } from '../../core/resources/field.ts'

/** What a statement is bound to. */
export type Bound = string | number | null

export const toSql = (value: Value | undefined): Bound => (typeof value === 'boolean' ? Number(value) : (value ?? null))
