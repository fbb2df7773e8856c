import type { Records } from '../../ports/records.ts'

/**
 * Reads the records of every tenant, secrets included, and checks values before they are stored: for those who run the
 * service. Whoever changes records does so through `Administration`.
 */
export type Lookup = Pick<Records, 'list' | 'show' | 'find' | 'identify' | 'count' | 'violations'>

export const lookup = (records: Records): Lookup => ({
  list: (resource, query) => records.list(resource, query),
  show: (resource, id) => records.show(resource, id),
  find: (resource, id) => records.find(resource, id),
  identify: (resource, where) => records.identify(resource, where),
  count: (resource, where) => records.count(resource, where),
  violations: (resource, values, id) => records.violations(resource, values, id),
})
