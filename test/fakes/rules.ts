import type { FieldErrors } from '../../core/errors.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { fieldsOf, jointsAt, sidesOf } from '../../core/resources/references/within.ts'
import type { Resource, Row } from '../../core/resources/resource.ts'
import { dangling, foreign, joined, mergeErrors, overLimit, taken } from '../../core/resources/values/field-errors.ts'
import { ownerOf, targetOf } from './owners.ts'
import type { Tables } from './tables.ts'

type Ruled = Pick<Resource, 'name' | 'fields' | 'unique'> &
  Partial<Pick<Resource, 'label' | 'limit' | 'plural' | 'within'>>

/** See `Records.violations`: rules that depend on other records. */
export const violations = (tables: Tables, resource: Ruled, values: Row, id?: number): FieldErrors =>
  mergeErrors(
    resource,
    danglingReferences(tables, resource, values).map(dangling),
    takenKeys(tables, resource, values, id).map(taken),
    foreignReferences(tables, resource, values, id),
    leaving(tables, resource, values, id),
    overfull(tables, resource, values, id),
  )

function danglingReferences(tables: Tables, { fields }: Ruled, values: Row): string[] {
  return Object.entries(fields).flatMap(([name, { references }]) => {
    const id = values[name] ?? null
    const target = references && references.onDelete !== 'keep' ? targetOf(references, values) : undefined
    return id === null || !target || tables.of(target).get(Number(id)) ? [] : [name]
  })
}

function takenKeys(tables: Tables, resource: Ruled, values: Row, id?: number): string[] {
  return resource.unique.flatMap(set => {
    const key = Object.fromEntries(set.map(field => [field, values[field] ?? null]))
    return tables.holding(resource, key).some(row => row.id !== id) ? [set.at(-1) ?? ''] : []
  })
}

/** References to something within another record than the first; those already stored may stay. */
function foreignReferences(tables: Tables, resource: Ruled, values: Row, id?: number): FieldErrors {
  const { within } = resource
  if (!within?.isRule) return []
  const [first, ...others] = sidesOf({ ...resource, within })
  const stored = id === undefined ? undefined : tables.of(resource).get(id)
  const fields = [first, ...others].flatMap(side => (side ? fieldsOf(side) : []))
  const owner = first ? ownerOf(tables, first, within.field, values) : null
  if (!first || owner === null || fields.every(field => stored?.[field] === values[field])) return []
  return others
    .filter(side => ![owner, null].includes(ownerOf(tables, side, within.field, values)))
    .map(({ field }) => foreign(field, first.field, within.field))
}

/** True if the record would move away from records joined to it. */
function leaving(tables: Tables, resource: Ruled, values: Row, id?: number): FieldErrors {
  if (id === undefined) return []
  const stored = tables.of(resource).get(id)
  const joints = jointsAt(resource)
  const holds = joints.some(({ within, pointing, others }) => {
    const to = values[within]
    if (to === undefined || to === stored?.[within]) return false
    return tables
      .holding(pointing.from, pointing.where(id))
      .some(row => others.some(side => ![to, null].includes(ownerOf(tables, side, within, row))))
  })
  const plurals = joints.map(({ pointing }) => pointing.from.plural)
  return holds ? [joined(joints[0]?.within ?? '', { label: resource.label ?? resource.name }, plurals)] : []
}

function overfull(tables: Tables, resource: Ruled, values: Row, id?: number): FieldErrors {
  const { limit } = resource
  const parentId = limit && values[limit.by]
  if (!limit || typeof parentId !== 'number') return []
  const parent = resourceNamed(limit.parent)
  const max = tables.of(parent).get(parentId)?.[limit.max]
  const others = tables.holding(resource, { [limit.by]: parentId })
  if (typeof max !== 'number' || others.length < max || others.some(row => row.id === id)) return []
  return [overLimit(limit.by, parent.label, max, resource.plural ?? resource.name)]
}
