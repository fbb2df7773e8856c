import type { BulkCounts } from '../../ports/bulk.ts'
import type { Resource } from '../../resources/resource.ts'

/** The resource as files have it: with what is kept beside its records. */
export const inFiles = (resource: Resource): Resource => ({
  ...resource,
  fields: { ...resource.fields, ...resource.kept },
})

export const NO_COUNTS: BulkCounts = {
  ...{ created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, rejected: 0 },
}

/**
 * Records that have no key of their own come in batches, each with the place reached: nothing else would tell on a
 * second try which are there already.
 */
export const keepsPlace = (resource: Pick<Resource, 'key'>): boolean => resource.key.length === 0
