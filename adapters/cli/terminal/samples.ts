import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field } from '../../../core/resources/field.ts'
import { isNamed, type Resource } from '../../../core/resources/resource.ts'
import { quoted } from '../command-line.ts'
import { flagOf } from '../fields.ts'

/** Returns a value that the declaration gives as an example of a request. */
function sampleOf({ choices, examples, input }: Field): string | undefined {
  const declared: unknown = 'examples' in input ? input.examples : undefined
  const first: unknown = examples?.[0] ?? choices?.[0] ?? (Array.isArray(declared) ? declared[0] : undefined)
  return first === undefined ? undefined : String(first)
}

/** Returns an example of a record's name: its key from the declared examples, else the first id. */
function nameOf(resource: Resource): string {
  const parts = resource.key.map(name => {
    const field = resource.fields[name]
    const to = field?.references?.to
    if (typeof to === 'string') return nameOf(resourceNamed(to))
    return typeof to === 'object' || !field ? undefined : sampleOf(field)
  })
  return isNamed(resource) && !parts.includes(undefined) ? parts.join('/') : '1'
}

/** Returns an example of a record's name, as it is typed. */
export const sampleReference = (resource: Resource): string => quoted(nameOf(resource))

function sampleFlag(resource: Resource, name: string, field: Field): string {
  const kebab = name.replaceAll('_', '-')
  if (field.generated) return `--generate-${kebab}`
  if (field.secret) return `--${kebab}-file secret.txt`
  const to = field.references?.to
  const by = typeof to === 'object' ? resource.fields[to.by] : undefined
  const target = typeof to === 'object' ? to[(by && sampleOf(by)) ?? ''] : to
  const value = target === undefined ? (sampleOf(field) ?? '1') : nameOf(resourceNamed(target))
  return `--${flagOf(name, field)} ${quoted(value)}`
}

/** Returns example flags that create one record of the resource. */
export const sampleFlags = (resource: Resource): string =>
  Object.entries(resource.fields)
    .filter(([, field]) => field.required)
    .map(([name, field]) => sampleFlag(resource, name, field))
    .join(' ')

/** Returns an example flag that changes one field: one with a few usual values, or any plain text. */
export function sampleChange(resource: Resource): string {
  const fields = Object.entries(resource.fields).filter(
    ([name, field]) => !field.references && !resource.key.includes(name),
  )
  const [name, field] =
    fields.findLast(([, { choices, examples }]) => (choices ?? examples ?? []).length > 1) ??
    fields.find(([, { kind, secret }]) => kind === 'text' && !secret) ??
    []
  if (name === undefined || !field) return ''
  return `--${flagOf(name, field)} ${quoted(field.examples?.[1] ?? sampleOf(field) ?? 'text')}`
}
