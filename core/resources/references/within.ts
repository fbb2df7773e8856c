import { type Pointing, referencesTo, resourceNamed } from '../all.ts'
import type { Reference } from '../field.ts'
import type { Resource } from '../resource.ts'

/** A field of a record that says what the record is within: the field itself, or one that points to what has it. */
export interface Side {
  readonly field: string
  /** What it points to; null where the record itself has the field. */
  readonly to: Reference['to'] | null
}

const targetsOf = (to: Reference['to']): readonly string[] => {
  if (typeof to === 'string') return [to]
  const { by: _, ...targets } = to
  return Object.values(targets)
}

/** The fields that a side is read from. */
export const fieldsOf = ({ field, to }: Side): readonly string[] =>
  typeof to === 'object' && to !== null ? [field, to.by] : [field]

/** The sides of a record that must agree; none where its resource is within nothing. */
export function sidesOf({ fields, within }: Pick<Resource, 'fields' | 'within'>): readonly Side[] {
  if (!within) return []
  const hasIt = (name: string): boolean => resourceNamed(name).fields[within.field] !== undefined
  return Object.entries(fields).flatMap(([field, { references }]): Side[] => {
    if (field === within.field) return [{ field, to: null }]
    return references && targetsOf(references.to).every(hasIt) ? [{ field, to: references.to }] : []
  })
}

/** Records that keep one of `target` where it is, since they must agree with it: by which field, and with what else. */
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

/** The field by which a record belongs to a tenant: its own, or one that points to what has it; undefined for none. */
export const TENANT = 'tenant_id'

export const tenantSide = ({ fields }: Pick<Resource, 'fields'>): Side | undefined =>
  sidesOf({ fields, within: { field: TENANT, isRule: false } })[0]
