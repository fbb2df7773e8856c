import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field } from '../../../core/resources/field.ts'
import { type Embed, embedsIn, type Resource, timestamped, type View } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'

/**
 * SQL for the API's JSON, derived from the declarations. It uses row_to_json because all other functions write blanks.
 */

const fieldSql = ({ kind }: Pick<Field, 'kind'>, column: string): string =>
  kind === 'decimal' ? `((${column} / 10000)::text || '.' || lpad((${column} % 10000)::text, 4, '0'))` : column

/** The members of a record's own, each with the kind of its values. */
export function shownFields(
  resource: Resource,
  only?: readonly string[],
): readonly (readonly [name: string, field: Pick<Field, 'kind'>])[] {
  const members: [string, Pick<Field, 'kind'>][] = [['id', { kind: 'integer' }]]
  for (const [name, field] of Object.entries(resource.fields)) if (!field.writeOnly) members.push([name, field])
  for (const name of timestamped(resource)) members.push([name, { kind: 'date' }])
  return members.filter(([name]) => !only || only.includes(name))
}

/** What comes before a member's value in JSON. */
export const headOf = (name: string, index: number): string => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`

/** The members of the record's own fields; `alias` is the table's. */
const ownMembers = (resource: Resource, alias: string, only?: readonly string[]): string[] =>
  shownFields(resource, only).map(([name, field]) => memberSql(name, fieldSql(field, `${alias}.${name}`)))

const memberSql = (name: string, sql: string): string => `${sql} AS "${name}"`

const objectSql = (members: readonly string[]): string =>
  `(SELECT row_to_json(o) FROM (SELECT ${members.join(', ')}) o)`

/** Where embedded records are, by resource. */
type Sources = (resource: string) => string

export function embedSql(embed: Embed, from: Sources = tableOf): string {
  switch (embed.kind) {
    case 'one':
      return `CASE WHEN ${embed.name}.id IS NOT NULL
        THEN ${objectSql(ownMembers(resourceNamed(embed.from), embed.name, embed.only))} END`
    case 'many':
      return `(SELECT ('[' || coalesce(string_agg(${objectSql(ownMembers(resourceNamed(embed.from), 'm', embed.only))}::text, ','
        ORDER BY m.id), '') || ']')::json FROM ${from(embed.from)} m WHERE m.${embed.by} = t.id)`
    case 'count':
      return `(SELECT count(*) FROM ${tableOf(embed.of)} m WHERE m.${embed.by} = t.id)`
  }
}

/** SQL for the JSON object, as text, of the record aliased `t`. */
export function viewSql(resource: Resource, view: View, from: Sources = tableOf): string {
  const embeds = embedsIn(resource, view).map(embed => memberSql(embed.name, embedSql(embed, from)))
  return `${objectSql([...ownMembers(resource, 't'), ...embeds])}::text`
}

/** The joins that `viewSql` needs. */
export function joinSql(resource: Resource, view: View): string {
  return embedsIn(resource, view)
    .map(embed =>
      embed.kind === 'one' ? `LEFT JOIN ${tableOf(embed.from)} ${embed.name} ON ${embed.name}.id = t.${embed.via}` : '',
    )
    .join(' ')
}

/** Can the JSON of one record have any length? */
export const isUnbounded = (resource: Resource, view: View): boolean =>
  hasUnbounded(resource) ||
  embedsIn(resource, view).some(
    embed => embed.kind === 'many' || (embed.kind === 'one' && hasUnbounded(resourceNamed(embed.from), embed.only)),
  )

const hasUnbounded = ({ fields }: Resource, only: readonly string[] = Object.keys(fields)): boolean =>
  only.some(name => fields[name]?.unbounded)
