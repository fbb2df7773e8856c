import { resourceNamed } from '../../core/resources/all.ts'
import type { Reference, Value } from '../../core/resources/field.ts'
import type { Side } from '../../core/resources/references/within.ts'
import type { Resource, Row } from '../../core/resources/resource.ts'
import type { Tables } from './tables.ts'

/** The resource that a reference of this record points to; undefined if its kind names none. */
export function targetOf({ to }: Pick<Reference, 'to'>, values: Row): Resource | undefined {
  if (typeof to === 'string') return resourceNamed(to)
  const name = to[String(values[to.by])]
  return name === undefined ? undefined : resourceNamed(name)
}

/**
 * The record that these values are within by one side, such as the tenant of a route's DID; null if that points
 * nowhere.
 */
export function ownerOf(tables: Tables, { field, to }: Side, within: string, values: Row): Value {
  const id = values[field] ?? null
  if (to === null) return id
  const target = targetOf({ to }, values)
  return (target && typeof id === 'number' && tables.of(target).get(id)?.[within]) ?? null
}
