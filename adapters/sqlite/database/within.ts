import type { FieldErrors } from '../../../core/errors.ts'
import { fieldsOf, jointsAt, movingJoined, type Side, sidesOf } from '../../../core/resources/references/within.ts'
import type { Resource, Row } from '../../../core/resources/resource.ts'
import { foreign } from '../../../core/resources/values/field-errors.ts'
import { tableOf } from '../../sql/table.ts'
import { joinedSql, withinSql } from '../../sql/within.ts'
import { boundRow } from '../bulk/bulk-rows.ts'
import { type Bound, toSql } from './bound.ts'
import type { Connection } from './database.ts'

/** Records that must agree with what they point to: see `Within`. */

type Ruled = Pick<Resource, 'name' | 'fields'> & Partial<Pick<Resource, 'label' | 'within'>>

/** Returns the references of a record that disagree with its first one, unless they are stored that way already. */
export function foreignReferences({ value }: Connection, resource: Ruled, values: Row, id?: number): FieldErrors {
  const { within, name } = resource
  if (!within?.isRule) return []
  const [first, ...others] = sidesOf({ ...resource, within })
  const fields = [first, ...others].flatMap(side => (side ? fieldsOf(side) : []))
  if (!first || fields.some(field => (values[field] ?? null) === null)) return []
  const bound = { ...boundRow(values), id: id ?? null }
  const same = fields.map(field => `${field} = @${field}`).join(' AND ')
  if (value<[typeof bound], number>(`SELECT 1 FROM ${tableOf(name)} WHERE id = @id AND ${same}`).get(bound) === 1)
    return []
  const ownerOf = (side: Side): number | null =>
    value<[typeof bound], number | null>(`SELECT ${withinSql(side, within.field, field => `@${field}`)}`).get(bound) ??
    null
  const owner = ownerOf(first)
  if (owner === null) return []
  return others
    .filter(side => ![owner, null].includes(ownerOf(side)))
    .map(({ field }) => foreign(field, first.field, within.field))
}

/** Returns the error if the record would disagree with those that join it to others. */
export function moveProblem({ value }: Connection, resource: Ruled, values: Row, id?: number): FieldErrors {
  const joints = id === undefined ? [] : jointsAt(resource)
  const [within] = new Set(joints.map(joint => joint.within))
  const to = within === undefined ? undefined : values[within]
  if (id === undefined || within === undefined || to === undefined) return []
  if (value<[number], Bound>(`SELECT ${within} FROM ${tableOf(resource.name)} WHERE id = ?`).get(id) === to) return []
  const sql = `SELECT ${joints.map(joint => joinedSql(joint, '@id', '@to')).join(' OR ')}`
  const isJoined = value<[{ id: number; to: Bound }], number>(sql).get({ id, to: toSql(to) }) === 1
  return isJoined ? [movingJoined(resource, joints)] : []
}

/** Returns the ids of records that disagree with what they point to. */
export function strays({ value }: Connection, { name, ...declared }: Resource): number[] {
  const [first, ...others] = sidesOf(declared)
  if (!first) return []
  const owner = (side: Side): string => withinSql(side, declared.within?.field ?? '', field => `j.${field}`)
  const differing = others.map(side => `${owner(first)} <> ${owner(side)}`)
  return value<[], number>(
    `SELECT j.id FROM main.${tableOf(name)} j WHERE ${differing.join(' OR ')} ORDER BY j.id`,
  ).all()
}
