import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field } from '../../../core/resources/field.ts'
import { type Embed, embedsIn, type Resource, timestamped, type View } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'

/** The SQL that renders records as the API's JSON, derived from the declarations. */

export const amountSql = (column: string): string => `printf('%d.%04d', ${column} / 10000, ${column} % 10000)`

function fieldSql(field: Field, column: string): string {
  switch (field.kind) {
    case 'decimal':
      return amountSql(column)
    case 'boolean':
      return `json(iif(${column}, 'true', 'false'))`
    case 'json':
      return `json(${column})`
    default:
      return column
  }
}

/** The members of a record's own fields, as arguments of json_object; `alias` is the table's. */
function ownMembers(resource: Resource, alias: string, only?: readonly string[]): string[] {
  const members: [name: string, sql: string][] = [['id', `${alias}.id`]]
  for (const [name, field] of Object.entries(resource.fields))
    if (!field.writeOnly) members.push([name, fieldSql(field, `${alias}.${name}`)])
  for (const name of timestamped(resource)) members.push([name, `${alias}.${name}`])
  return members.filter(([name]) => !only || only.includes(name)).map(([name, sql]) => `'${name}', ${sql}`)
}

const objectSql = (resource: Resource, alias: string, only?: readonly string[]): string =>
  `json_object(${ownMembers(resource, alias, only).join(', ')})`

function embedSql(embed: Embed): string {
  switch (embed.kind) {
    case 'one':
      return `iif(${embed.name}.id IS NULL, NULL, ${objectSql(resourceNamed(embed.from), embed.name, embed.only)})`
    case 'many':
      return `(SELECT json_group_array(${objectSql(resourceNamed(embed.from), 'm', embed.only)} ORDER BY m.id)
        FROM ${tableOf(embed.from)} m WHERE m.${embed.by} = t.id)`
    case 'count':
      return `(SELECT count(*) FROM ${tableOf(embed.of)} m WHERE m.${embed.by} = t.id)`
  }
}

/** The SQL of the JSON object of the record aliased `t`. */
export function viewSql(resource: Resource, view: View): string {
  const members = [
    ...ownMembers(resource, 't'),
    ...embedsIn(resource, view).map(embed => `'${embed.name}', ${embedSql(embed)}`),
  ]
  return `json_object(${members.join(', ')})`
}

/** True if one record's JSON has no length limit. */
export function isUnbounded(resource: Resource, view: View): boolean {
  return (
    hasUnbounded(resource) ||
    embedsIn(resource, view).some(
      embed => embed.kind === 'many' || (embed.kind === 'one' && hasUnbounded(resourceNamed(embed.from), embed.only)),
    )
  )
}

export const hasUnbounded = ({ fields }: Resource, only: readonly string[] = Object.keys(fields)): boolean =>
  only.some(name => fields[name]?.unbounded)

/** The joins that `viewSql` needs. */
export function joinSql(resource: Resource, view: View): string {
  return embedsIn(resource, view)
    .map(embed =>
      embed.kind === 'one' ? `LEFT JOIN ${tableOf(embed.from)} ${embed.name} ON ${embed.name}.id = t.${embed.via}` : '',
    )
    .join(' ')
}

/** The view of a row in a RETURNING clause, where it has no alias. */
export const returningSql = (resource: Resource): string => objectSql(resource, tableOf(resource.name))
