import { resourceNamed } from '../../../core/resources/all.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'

/** The SQL of a record's name by its id, such as `acme/101`; null if it has none. */
export function nameSql(resource: Resource, id: string, depth = 0): string {
  const alias = `named${depth}`
  const parts = resource.key.map(field => {
    const to = resource.fields[field]?.references?.to
    return typeof to === 'string' ? nameSql(resourceNamed(to), `${alias}.${field}`, depth + 1) : `${alias}.${field}`
  })
  return `(SELECT ${parts.join(` || '/' || `)} FROM ${tableOf(resource.name)} ${alias} WHERE ${alias}.id = ${id})`
}
