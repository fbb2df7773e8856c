import type { FieldError, FieldErrors } from '../../errors.ts'
import { Problem } from '../field.ts'
import { fieldLabel, lowered, type Resource } from '../resource.ts'

/** The frames of all sentences about a field, as the API words them; the rules say the rest. */

export const REQUIRED = new Problem('required', 'is required')

export const broken = (field: string, { rule, predicate }: Problem): FieldError => ({
  rule,
  field,
  sentence: `The ${fieldLabel(field)} field ${predicate}.`,
})

/** The error for a name or id that matches no record, or several. */
export const unselectable = (field: string, { rule, predicate }: Problem): FieldError => ({
  rule,
  field,
  sentence: `The selected ${fieldLabel(field)} ${predicate}.`,
})

const NO_RECORD = new Problem('reference', 'is invalid')

export const dangling = (field: string): FieldError => unselectable(field, NO_RECORD)

export const taken = (field: string): FieldError => ({
  rule: 'taken',
  field,
  sentence: `The ${fieldLabel(field)} has already been taken.`,
})

/** The error for a reference whose owner differs from that of the field `other`. */
export const foreign = (field: string, other: string, within: string): FieldError => ({
  rule: 'foreign',
  field,
  sentence: `The selected ${fieldLabel(field)} belongs to a different ${fieldLabel(within).replace(/ id$/, '')} than the ${fieldLabel(other)}.`,
})

/** The error for a reference to something outside what all records must belong to, such as their tenant. */
export const outside = (field: string, within: string): FieldError => ({
  rule: 'foreign',
  field,
  sentence: `The selected ${fieldLabel(field)} belongs to another ${fieldLabel(within).replace(/ id$/, '')}.`,
})

/** The error for a field that cannot change because these records tie it to its present value. */
export const joined = (field: string, { label }: Pick<Resource, 'label'>, plurals: readonly string[]): FieldError => ({
  rule: 'joined',
  field,
  sentence: `The ${fieldLabel(field)} field must stay the same while ${[...new Set(plurals)].map(lowered).join(' or ')} refer to the ${lowered(label)}.`,
})

/** The error for a field that a cluster cannot change, since it decides where the record is. */
export const unmovable = (field: string, { label }: Pick<Resource, 'label'>): FieldError => ({
  rule: 'unmovable',
  field,
  sentence: `The ${fieldLabel(field)} field of a stored ${label} cannot change on this database.`,
})

/** `parent` is the label of the resource that holds at most `max`. */
export const overLimit = (field: string, parent: string, max: number, plural: string): FieldError => ({
  rule: 'limit',
  field,
  sentence: `The ${parent.toLowerCase()} has reached its limit of ${max} ${plural.toLowerCase()}.`,
  detail: { max },
})

/** Returns the first error on each field, in the order of the declaration; earlier sets take precedence. */
export function mergeErrors(resource: Pick<Resource, 'fields'>, ...sets: FieldErrors[]): FieldErrors {
  const all = sets.flat()
  return Object.keys(resource.fields).flatMap(name => all.find(({ field }) => field === name) ?? [])
}
