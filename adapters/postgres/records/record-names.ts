import { resourceNamed } from '../../../core/resources/all.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'

/** SQL for the name by which a person knows the record of that alias, such as `acme/101`. */
export function nameOf(resource: Resource, alias: string, depth = 0): string {
  const parts = resource.key.map(field => {
    const to = resource.fields[field]?.references?.to
    return typeof to === 'string' ? nameSql(resourceNamed(to), `${alias}.${field}`, depth + 1) : `${alias}.${field}`
  })
  return parts.join(` || '/' || `)
}

/** A query for the name by which a person knows the record with that id; null if there is none. */
export function nameSql(resource: Resource, id: string, depth = 0): string {
  const alias = `named${depth}`
  return `(SELECT ${nameOf(resource, alias, depth)} FROM ${tableOf(resource.name)} ${alias} WHERE ${alias}.id = ${id})`
}
