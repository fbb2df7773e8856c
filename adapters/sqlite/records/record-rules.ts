import { type FieldErrors, invalid } from '../../../core/errors.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Resource, Row } from '../../../core/resources/resource.ts'
import { dangling, mergeErrors, overLimit, taken } from '../../../core/resources/values/field-errors.ts'
import { tableOf } from '../../sql/table.ts'
import { type Bound, toSql } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import { foreignReferences, moveProblem } from '../database/within.ts'

/** The rules that depend on other records, within a transaction. `id` is the record's own, once it has one. */

type Ruled = Pick<Resource, 'name' | 'fields' | 'unique'> &
  Partial<Pick<Resource, 'label' | 'limit' | 'plural' | 'within'>>

/**
 * Returns every rule that the values break: taken values, dangling references, exceeded limits, and links between
 * tenants.
 */
export const violations = (connection: Connection, resource: Ruled, values: Row, id?: number): FieldErrors =>
  mergeErrors(
    resource,
    danglingReferences(connection, resource, values).map(dangling),
    takenKeys(connection, resource, values, id).map(taken),
    foreignReferences(connection, resource, values, id),
    moveProblem(connection, resource, values, id),
    limitProblem(connection, resource, values, id),
  )

/**
 * Makes the change, or throws `invalid`. Checks what no constraint of the database covers beforehand; a failed
 * constraint reports the rest.
 */
export function checked<T>(
  connection: Connection,
  resource: Resource,
  values: Row,
  id: number | undefined,
  change: () => T,
): T {
  const isBroken = [limitProblem, foreignReferences, moveProblem].some(
    problem => problem(connection, resource, values, id).length > 0,
  )
  if (hasLooseReference(resource) || isBroken) throwIfAny(violations(connection, resource, values, id))
  try {
    return change()
  } catch (error) {
    if (isConstraint(error)) throwIfAny(violations(connection, resource, values, id))
    throw error
  }
}

function danglingReferences({ value }: Connection, { fields }: Ruled, values: Row): string[] {
  return Object.entries(fields).flatMap(([name, { references }]) => {
    const id = values[name]
    if (!references || references.onDelete === 'keep' || id === undefined || id === null) return []
    const to = typeof references.to === 'string' ? references.to : references.to[String(values[references.to.by])]
    const exists =
      to === undefined || value<[Bound], number>(`SELECT 1 FROM ${tableOf(to)} WHERE id = ?`).get(toSql(id)) === 1
    return exists ? [] : [name]
  })
}

function takenKeys({ value }: Connection, { name, unique }: Ruled, values: Row, id?: number): string[] {
  return unique.flatMap(set => {
    if (set.some(field => values[field] === undefined || values[field] === null)) return []
    const sql = `SELECT 1 FROM ${tableOf(name)} WHERE ${set.map(field => `${field} = ?`).join(' AND ')} AND id IS NOT ?`
    const taken = value<Bound[], number>(sql).get(...set.map(field => toSql(values[field])), id ?? null)
    return taken === 1 ? [set.at(-1) ?? name] : []
  })
}

function limitProblem({ value }: Connection, resource: Ruled, values: Row, id?: number): FieldErrors {
  const { limit, name } = resource
  const parent = limit && values[limit.by]
  if (!limit || parent === undefined) return []
  const max = value<[Bound], number>(`SELECT ${limit.max} FROM ${tableOf(limit.parent)} WHERE id = ?`).get(
    toSql(parent),
  )
  if (max === undefined) return []
  const full = value<[Bound, Bound, number], number>(
    `SELECT 1 FROM ${tableOf(name)} WHERE ${limit.by} = ? AND id IS NOT ? LIMIT 1 OFFSET ?`,
  ).get(toSql(parent), id ?? null, max - 1)
  if (
    full !== 1 ||
    (id !== undefined && value(`SELECT ${limit.by} FROM ${tableOf(name)} WHERE id = ?`).get(id) === parent)
  )
    return []
  return [overLimit(limit.by, resourceNamed(limit.parent).label, max, resource.plural ?? name)]
}

const hasLooseReference = (resource: Resource): boolean =>
  Object.values(resource.fields).some(({ references }) => references && typeof references.to !== 'string')

function throwIfAny(errors: FieldErrors): void {
  if (errors.length > 0) throw invalid(errors)
}
