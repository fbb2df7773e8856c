import { formatAmount } from '../../../core/amounts.ts'
import type { Json } from '../../../core/ports/records.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field } from '../../../core/resources/field.ts'
import { embedsIn, type Resource, type Row, type View } from '../../../core/resources/resource.ts'
import { derived } from '../../sql/derived.ts'
import { copiedOut } from '../database/streams.ts'
import { embedSql, shownFields } from './view.ts'

/** Writes the API's JSON of records from their columns, which takes half the time of having the server write it. */
export interface ViewWriter {
  /** The columns to read, separated by commas, of the record `t` and of the tables that `joinSql` joins. */
  readonly columns: string
  /** The JSON object of a line of `copyOut` that begins with these columns. */
  json(line: string): string
}

interface Member {
  readonly columns: readonly string[]
  /** Writes the value whose columns begin at that place. */
  write(fields: readonly string[], at: number): string
}

export function viewWriter(resource: Resource, view: View): ViewWriter {
  const members: [string, Member][] = ownOf(resource, 't')
  for (const embed of embedsIn(resource, view))
    members.push([
      embed.name,
      embed.kind === 'one'
        ? nullable(objectOf(ownOf(resourceNamed(embed.from), embed.name, embed.only)))
        : { columns: [embedSql(embed)], write: writing(String) },
    ])
  const { columns, write } = objectOf(members)
  return { columns: columns.join(', '), json: line => write(line.split('\t'), 0) }
}

/** Writes the API's JSON of a stored record, without embedded ones, from its values: the server need not return it. */
export const plainWriter = derived(resource => {
  const members = shownFields(resource).map(([name, { kind }], index) => ({
    name,
    head: headOf(name, index),
    write: WRITERS[kind],
  }))
  return (row: Row): Json => {
    let text = ''
    for (const { name, head, write } of members) {
      const value = row[name] ?? null
      text += head + (value === null ? 'null' : write(String(value)))
    }
    return `${text}}`
  }
})

const headOf = (name: string, index: number): string => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`

const ownOf = (resource: Resource, alias: string, only?: readonly string[]): [string, Member][] =>
  shownFields(resource, only).map(([name, { kind }]) => [
    name,
    { columns: [`${alias}.${name}`], write: writing(WRITERS[kind]) },
  ])

const writing =
  (write: (value: string) => string): Member['write'] =>
  (fields, at) => {
    const value = copiedOut(fields[at] ?? '')
    return value === null ? 'null' : write(value)
  }

function objectOf(members: readonly (readonly [name: string, Member])[]): Member {
  let width = 0
  const parts = members.map(([name, { columns, write }], index) => {
    const at = width
    width += columns.length
    return { head: headOf(name, index), write, at }
  })
  return {
    columns: members.flatMap(([, { columns }]) => columns),
    write: (fields, from) => {
      let text = ''
      for (const { head, write, at } of parts) text += head + write(fields, from + at)
      return `${text}}`
    },
  }
}

/** The first column of an embedded record is its id, which is null if there is no record. */
const nullable = ({ columns, write }: Member): Member => ({
  columns,
  write: (fields, at) => (copiedOut(fields[at] ?? '') === null ? 'null' : write(fields, at)),
})

const SPECIAL = /["\\\u0000-\u001f]/

const quoted = (text: string): string => (SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`)

const WRITERS: Readonly<Record<Field['kind'], (value: string) => string>> = {
  text: quoted,
  date: quoted,
  integer: String,
  decimal: value => `"${formatAmount(Number(value))}"`,
  boolean: value => String(value === 't' || value === 'true'),
  json: String,
}
