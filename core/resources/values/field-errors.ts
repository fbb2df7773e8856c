import type { FieldError, FieldErrors } from '../../errors.ts'
import { Problem } from '../field.ts'
import { fieldLabel, lowered, type Resource } from '../resource.ts'

/** Every sentence on a field, in the words of the API. */

export const REQUIRED = new Problem('required', 'is required')

export const broken = (field: string, { rule, predicate }: Problem): FieldError => ({
  rule,
  field,
  sentence: `The ${fieldLabel(field)} field ${predicate}.`,
})

/** A name or id that leads to no record, or to several. */
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

/** It points to what is within another than the record's field `other`, or what that points to. */
export const foreign = (field: string, other: string, within: string): FieldError => ({
  rule: 'foreign',
  field,
  sentence: `The selected ${fieldLabel(field)} belongs to another ${fieldLabel(within).replace(/ id$/, '')} than the ${fieldLabel(other)}.`,
})

/** It points to what is within another than the one that all records must be within. */
export const outside = (field: string, within: string): FieldError => ({
  rule: 'foreign',
  field,
  sentence: `The selected ${fieldLabel(field)} belongs to another ${fieldLabel(within).replace(/ id$/, '')}.`,
})

/** The field cannot change while these refer to the record, since they join it to what agrees with it now. */
export const joined = (field: string, { label }: Pick<Resource, 'label'>, plurals: readonly string[]): FieldError => ({
  rule: 'joined',
  field,
  sentence: `The ${fieldLabel(field)} field must stay the same while ${[...new Set(plurals)].map(lowered).join(' or ')} refer to the ${lowered(label)}.`,
})

/** `parent` is the label of what holds at most `max` of these. */
export const overLimit = (field: string, parent: string, max: number, plural: string): FieldError => ({
  rule: 'limit',
  field,
  sentence: `The ${parent.toLowerCase()} has reached its limit of ${max} ${plural.toLowerCase()}.`,
  detail: { max },
})

/** The first error on each field, in the order of the declaration; where sets differ, the earlier one counts. */
export function mergeErrors(resource: Pick<Resource, 'fields'>, ...sets: FieldErrors[]): FieldErrors {
  const all = sets.flat()
  return Object.keys(resource.fields).flatMap(name => all.find(({ field }) => field === name) ?? [])
}
