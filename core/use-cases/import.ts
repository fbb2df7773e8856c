import type { BulkCounts } from '../ports/bulk.ts'
import { resourceNamed } from '../resources/all.ts'
import type { Resource } from '../resources/resource.ts'

/** The resource as files have it: with what is kept beside its records. */
export const inFiles = (resource: Resource): Resource => ({
  ...resource,
  fields: { ...resource.fields, ...resource.kept },
})

/** How files name the record that a field points to: by its natural key, since ids differ between databases. */
export interface NamedReference {
  readonly field: string
  /** The column that holds the name: `tenant` for `tenant_id`. */
  readonly column: string
  readonly target: Resource
  /** The part of the target's key that the record itself holds as well, such as the tenant of an extension. */
  readonly scope: readonly string[]
  /** The rest of the key. */
  readonly own: readonly string[]
}

/** The fields of a resource whose references can be named. */
export function namedReferences(resource: Resource): NamedReference[] {
  return Object.entries(resource.fields).flatMap(([field, { references }]) => {
    if (typeof references?.to !== 'string') return []
    const target = resourceNamed(references.to)
    const scope = target.key.filter(part => resource.fields[part]?.references && part !== field)
    const own = target.key.filter(part => !scope.includes(part))
    const isNameable = own.length > 0 && own.every(part => !target.fields[part]?.references)
    return isNameable ? [{ field, column: field.replace(/_id$/, ''), target, scope, own }] : []
  })
}

export const NO_COUNTS: BulkCounts = { created: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0 }

/**
 * Records that have no key of their own come in batches, each with the place reached: nothing else would tell on a
 * second try which are there already.
 */
export const keepsPlace = (resource: Pick<Resource, 'key'>): boolean => resource.key.length === 0
