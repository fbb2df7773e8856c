import { formatAmount } from '../../../core/amounts.ts'
import type { Json } from '../../../core/ports/records.ts'
import type { Field } from '../../../core/resources/field.ts'
import type { Row } from '../../../core/resources/resource.ts'
import { derived } from '../../sql/derived.ts'
import { headOf, shownFields } from './view.ts'

/**
 * Writes the API's JSON of a stored record, without embedded ones, from its values: the server need not return it.
 * What `kept` has goes before the row's, since a copy of the row with it would cost more than the JSON.
 */
export const plainWriter = derived(resource => {
  const members = shownFields(resource).map(([name, { kind }], index) => ({
    name,
    head: headOf(name, index),
    write: WRITERS[kind],
  }))
  return (row: Row, kept: Row = {}): Json => {
    let text = ''
    for (const { name, head, write } of members) {
      const value = kept[name] ?? row[name] ?? null
      text += head + (value === null ? 'null' : write(String(value)))
    }
    return `${text}}`
  }
})

const SPECIAL = /["\\\u0000-\u001f]/

const quoted = (text: string): string => (SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`)

const WRITERS: Readonly<Record<Field['kind'], (value: string) => string>> = {
  text: quoted,
  date: quoted,
  integer: String,
  decimal: value => `"${formatAmount(Number(value))}"`,
  boolean: String,
  json: String,
}
