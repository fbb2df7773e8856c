import type { FieldError } from '../../errors.ts'
import { type Pointing, referencesTo, resourceNamed } from '../all.ts'
import type { Reference } from '../field.ts'
import type { Resource } from '../resource.ts'
import { joined } from '../values/field-errors.ts'

/** A field that determines what a record belongs to: directly, or through the record that it points to. */
export interface Side {
  readonly field: string
  /** The resource it points to; null if the field holds the value itself. */
  readonly to: Reference['to'] | null
}

const targetsOf = (to: Reference['to']): readonly string[] => {
  if (typeof to === 'string') return [to]
  const { by: _, ...targets } = to
  return Object.values(targets)
}

/** Returns the fields that a side is read from. */
export const fieldsOf = ({ field, to }: Side): readonly string[] =>
  typeof to === 'object' && to !== null ? [field, to.by] : [field]

/** Returns the sides of a record that must agree; none if its resource belongs to nothing. */
export function sidesOf({ fields, within }: Pick<Resource, 'fields' | 'within'>): readonly Side[] {
  if (!within) return []
  const hasIt = (name: string): boolean => resourceNamed(name).fields[within.field] !== undefined
  return Object.entries(fields).flatMap(([field, { references }]): Side[] => {
    if (field === within.field) return [{ field, to: null }]
    return references && targetsOf(references.to).every(hasIt) ? [{ field, to: references.to }] : []
  })
}

/**
 * References of a resource that tie the record they point to to its place: `pointing` leads to that record, and the
 * field `within` must be the same for it and for the `others`.
 */
export interface Joint {
  readonly within: string
  readonly pointing: Pointing
  readonly others: readonly Side[]
}

export function jointsAt(target: Pick<Resource, 'name'>): Joint[] {
  return referencesTo(target).flatMap((pointing): Joint[] => {
    const { within } = pointing.from
    if (!within?.isRule) return []
    return [
      {
        within: within.field,
        pointing,
        others: sidesOf(pointing.from).filter(({ field }) => field !== pointing.field),
      },
    ]
  })
}

/** Returns the error for a record that may not move to another place, since these join it to others. */
export const movingJoined = (
  { name, label = name }: Pick<Resource, 'name'> & Partial<Pick<Resource, 'label'>>,
  joints: readonly Joint[],
): FieldError =>
  joined(
    joints[0]?.within ?? '',
    { label },
    joints.map(({ pointing }) => pointing.from.plural),
  )

export const TENANT = 'tenant_id'

/** Returns the field by which a record belongs to a tenant: its own, or one that leads to it; undefined if none. */
export const tenantSide = ({ fields }: Pick<Resource, 'fields'>): Side | undefined =>
  sidesOf({ fields, within: { field: TENANT, isRule: false } })[0]
