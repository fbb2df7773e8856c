import type { BulkCounts } from '../ports/bulk.ts'
import type { Resource } from '../resources/resource.ts'

/** Returns the resource as files hold it: with what is kept beside its records. */
export const inFiles = (resource: Resource): Resource => ({
  ...resource,
  fields: { ...resource.fields, ...resource.kept },
})

export const NO_COUNTS: BulkCounts = {
  ...{ created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, rejected: 0 },
}

/**
 * True for records without a natural key: they are imported in batches, each stored with the place reached, since
 * nothing else would show on a retry which ones are already there.
 */
export const keepsPlace = (resource: Pick<Resource, 'key'>): boolean => resource.key.length === 0
