import { isJsonObject, parseJson } from '../../json.ts'
import { nearest } from '../../nearest.ts'
import { type Field, Problem, type Value } from '../field.ts'
import { type KeyFault, keyFaults } from '../references/keys.ts'
import type { Resource, Row } from '../resource.ts'

/**
 * A value that no rule can read, though it may be stored, since the API takes any text or JSON there. `path` is within
 * a JSON field; empty for the value itself.
 */
export interface Unread extends KeyFault {
  readonly field: string
}

/** Returns the fields whose values rules read, among all that may be stored in them. */
export const readFields = ({ fields }: Pick<Resource, 'fields'>): [name: string, field: Field][] =>
  Object.entries(fields).filter(([, { known, keys }]) => known !== undefined || keys !== undefined)

/** Returns the values of a record that no rule can read. */
export const unreadIn = (resource: Pick<Resource, 'fields'>, values: Row): Unread[] =>
  readFields(resource).flatMap(([name, field]) =>
    unreadOf(field, values[name] ?? null).map(fault => ({ ...fault, field: name })),
  )

export function unreadOf({ known, keys }: Field, value: Value): KeyFault[] {
  if (typeof value !== 'string') return []
  if (known && !known.includes(value)) {
    const meant = nearest(value, known)
    const problem = `is ${value}, which no rule knows`
    if (meant !== null) return [{ path: [], problem, meant: { value: meant } }]
    return [{ path: [], problem: `${problem}; known are ${known.join(', ')}` }]
  }
  const object = keys ? parseJson(value) : null
  return keys && isJsonObject(object) ? keyFaults(keys, object) : []
}

/** Returns the same as a broken rule of the field: `holds dlr_levle, which is not known (did you mean dlr_level?)` */
export function unreadProblem({ path, problem, meant }: KeyFault): Problem {
  const likely = meant && ('key' in meant ? [...path.slice(0, -1), meant.key].join('.') : meant.value)
  const predicate = path.length === 0 ? problem : `holds ${path.join('.')}, which ${problem}`
  return new Problem('unread', likely === undefined ? predicate : `${predicate} (did you mean ${likely}?)`)
}
