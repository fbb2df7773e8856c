import { resourceNamed } from '../../core/resources/all.ts'
import type { Field } from '../../core/resources/field.ts'
import type { Resource } from '../../core/resources/resource.ts'

/** Values that make the examples of the help work as they stand, beside those that the declarations carry. */
const BY_KIND: Readonly<Record<Field['kind'], string>> = {
  text: 'demo',
  integer: '60',
  decimal: '0.0123',
  boolean: 'yes',
  date: '2026-10-01 12:00:00',
  json: '{}',
}

const quoted = (value: string): string => (/^[\w@%+=:,./-]+$/.test(value) ? value : `'${value}'`)

function sampleReference(resource: Resource): string {
  return resource.key
    .map(field => {
      const to = resource.fields[field]?.references?.to
      return typeof to === 'string'
        ? sampleReference(resourceNamed(to))
        : (resource.fields[field]?.examples?.[0] ?? '1')
    })
    .join('/')
}

/** The flags that create one record of the resource, for an example. */
export function sampleFlags(resource: Resource): string {
  return Object.entries(resource.fields)
    .filter(([, field]) => field.required)
    .map(([name, field]) => {
      const to = field.references?.to
      if (field.generated) return `--generate-${name.replaceAll('_', '-')}`
      if (field.secret) return `--${name.replaceAll('_', '-')}-file secret.txt`
      if (typeof to === 'string') return `--${name.replace(/_id$/, '')} ${quoted(sampleReference(resourceNamed(to)))}`
      if (typeof to === 'object') return `--${name.replaceAll('_', '-')} 1`
      return `--${name.replaceAll('_', '-')} ${quoted(field.examples?.[0] ?? field.choices?.[0] ?? BY_KIND[field.kind])}`
    })
    .join(' ')
}
