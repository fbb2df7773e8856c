import { formatAmount } from '../../core/amounts.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import type { Field, Value } from '../../core/resources/field.ts'
import { type Embed, embedsIn, type Resource, timestamped, type View } from '../../core/resources/resource.ts'
import type { Stored, Tables } from './tables.ts'

/** The JSON of a record in the form of the API. */
export function viewOf(tables: Tables, resource: Resource, row: Stored, view: View): string {
  const embeds = embedsIn(resource, view).map(embed => `"${embed.name}":${embedded(tables, embed, row)}`)
  return `{${[...ownMembers(resource, row), ...embeds].join()}}`
}

function ownMembers(resource: Resource, row: Stored, only?: readonly string[]): string[] {
  const fields = Object.entries(resource.fields).filter(([, { writeOnly }]) => !writeOnly)
  const members = [
    ['id', String(row.id)],
    ...fields.map(([name, field]) => [name, jsonOf(field, row[name] ?? null)]),
    ...timestamped(resource).map(name => [name, JSON.stringify(row[name])]),
  ]
  return members.filter(([name = '']) => !only || only.includes(name)).map(([name, json]) => `"${name}":${json}`)
}

/** A JSON field holds text, no digit of which may change. */
function jsonOf({ kind }: Field, value: Value): string {
  if (kind === 'json') return String(value)
  return JSON.stringify(kind === 'decimal' && typeof value === 'number' ? formatAmount(value) : value)
}

function embedded(tables: Tables, embed: Embed, row: Stored): string {
  if (embed.kind === 'count') return String(tables.holding(resourceNamed(embed.of), { [embed.by]: row.id }).length)
  const from = resourceNamed(embed.from)
  const shown = (found: Stored): string => `{${ownMembers(from, found, embed.only).join()}}`
  if (embed.kind === 'many')
    return `[${tables
      .holding(from, { [embed.by]: row.id })
      .map(shown)
      .join()}]`
  const one = tables.of(from).get(Number(row[embed.via]))
  return one ? shown(one) : 'null'
}
