import { resourceNamed } from '../../../core/resources/all.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { tableOf } from '../database/table.ts'

/** A query for what a person calls the record of that id, such as `acme/101`; null where there is none. */
export function nameSql(resource: Resource, id: string, depth = 0): string {
  const alias = `named${depth}`
  const parts = resource.key.map(field => {
    const to = resource.fields[field]?.references?.to
    return typeof to === 'string' ? nameSql(resourceNamed(to), `${alias}.${field}`, depth + 1) : `${alias}.${field}`
  })
  return `(SELECT ${parts.join(` || '/' || `)} FROM ${tableOf(resource.name)} ${alias} WHERE ${alias}.id = ${id})`
}
