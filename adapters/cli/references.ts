import type { Records } from '../../core/ports/records.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import type { Value } from '../../core/resources/field.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { againWith, CliError, EXIT } from './exit.ts'
import { commandOf } from './resource-names.ts'

/** How a person names a record: by its id, or by its natural key, such as `acme`, `acme/101` or `+15551230001`. */

const ID = /^(?:id:)?([1-9]\d{0,14})$/

export const labelOf = ({ label }: Pick<Resource, 'label'>): string => lowered(label)

export const pluralOf = ({ plural }: Pick<Resource, 'plural'>): string => lowered(plural)

/** `SMS gateway` and `DID` keep their capitals. */
const lowered = (label: string): string => label.replace(/^[A-Z](?=[a-z])/, letter => letter.toLowerCase())

const targetOf = (resource: Resource, field: string): Resource | null => {
  const to = resource.fields[field]?.references?.to
  return typeof to === 'string' ? resourceNamed(to) : null
}

/** How many `/`-separated parts the natural key of a resource has. */
function keyParts(resource: Resource): number {
  return resource.key.reduce((sum, field) => {
    const target = targetOf(resource, field)
    return sum + (target ? keyParts(target) : 1)
  }, 0)
}

/** A record that only joins others has no name that a person would write. */
export const isNamed = ({ key, fields }: Pick<Resource, 'key' | 'fields'>): boolean =>
  key.some(name => !fields[name]?.references && !fields[name]?.choices)

/** What to write in the place of a record of this resource, for help. */
export function referenceForm(resource: Resource): string {
  if (!isNamed(resource)) return 'ID'
  const parts = resource.key.map(field => {
    const target = targetOf(resource, field)
    return target ? labelOf(target).toUpperCase() : field.toUpperCase()
  })
  return `${parts.join('/')}|ID`
}

async function byKey(records: Records, resource: Resource, text: string): Promise<number[]> {
  const parts = keyParts(resource) === 1 ? [text] : text.split('/')
  if (!isNamed(resource) || parts.length !== keyParts(resource)) return []
  const where: Record<string, Value> = {}
  for (const field of resource.key) {
    const target = targetOf(resource, field)
    if (target) {
      const [id, ...others] = await idsOf(records, target, parts.splice(0, keyParts(target)).join('/'))
      if (id === undefined || others.length > 0) return []
      where[field] = id
    } else where[field] = parts.shift() ?? ''
  }
  return records.identify(resource, where)
}

/** The ids that a reference may mean: none, one, or more where it is ambiguous. */
async function idsOf(records: Records, resource: Resource, text: string): Promise<number[]> {
  const id = ID.exec(text)?.[1]
  const byId = id !== undefined && (await records.find(resource, Number(id))) !== null ? [Number(id)] : []
  if (text.startsWith('id:')) return byId
  return [...new Set([...byId, ...(await byKey(records, resource, text))])]
}

/** The id of the record that is meant. Throws when there is none, or more than one. */
export async function resolve(records: Records, resource: Resource, text: string): Promise<number> {
  const [id, another] = await idsOf(records, resource, text)
  if (id === undefined)
    throw new CliError(
      EXIT.noRecord,
      `there is no ${labelOf(resource)} ${JSON.stringify(text)}, which is written as ${referenceForm(resource)}`,
      `trunkline ${commandOf(resource)} list`,
    )
  if (another !== undefined)
    throw new CliError(
      EXIT.usage,
      `${JSON.stringify(text)} means more than one ${labelOf(resource)}: id:${id} and id:${another}`,
      againWith(text, `id:${id}`),
    )
  return id
}

/** Tells what a person writes for the record of that id: `acme/101`, or the id. What it has read it remembers. */
export function naming(records: Records): (resource: Resource, id: number) => Promise<string> {
  const known = new Map<string, Promise<string>>()
  const read = async (resource: Resource, id: number): Promise<string> => {
    const row = isNamed(resource) ? await records.find(resource, id) : null
    if (!row) return String(id)
    const parts = resource.key.map(field => {
      const target = targetOf(resource, field)
      return target ? nameOf(target, Number(row[field])) : String(row[field])
    })
    return (await Promise.all(parts)).join('/')
  }
  const nameOf = (resource: Resource, id: number): Promise<string> => {
    const key = `${resource.name} ${id}`
    const name = known.get(key) ?? read(resource, id)
    known.set(key, name)
    return name
  }
  return nameOf
}
