import type { Command } from 'commander'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Value } from '../../../core/resources/field.ts'
import { isNamed, lowered, type Resource, type Row } from '../../../core/resources/resource.ts'
import type { Lookup } from '../../../core/use-cases/records/lookup.ts'
import { numberFinder } from '../../../core/use-cases/records/same-number.ts'
import { againWith, CliError, EXIT } from '../exit.ts'
import { printable } from '../terminal/styles.ts'
import { commandOf } from './resource-names.ts'

/** How a person names a record: by its id, or by its natural key, such as `acme`, `acme/101` or `+15551230001`. */

const ID = /^(?:id:)?([1-9]\d{0,14})$/

export const labelOf = ({ label }: Pick<Resource, 'label'>): string => lowered(label)

export const pluralOf = ({ plural }: Pick<Resource, 'plural'>): string => lowered(plural)

const targetOf = (resource: Resource, field: string): Resource | null => {
  const to = resource.fields[field]?.references?.to
  return typeof to === 'string' ? resourceNamed(to) : null
}

/** Returns the number of `/`-separated parts in a resource's natural key. */
function keyParts(resource: Resource): number {
  return resource.key.reduce((sum, field) => {
    const target = targetOf(resource, field)
    return sum + (target ? keyParts(target) : 1)
  }, 0)
}

/** Returns the form of a record's name, for help. */
export function referenceForm(resource: Resource): string {
  if (!isNamed(resource)) return 'ID'
  const parts = resource.key.map(field => {
    const target = targetOf(resource, field)
    return target ? labelOf(target).toUpperCase() : field.toUpperCase()
  })
  return `${parts.join('/')}|ID`
}

async function byKey(records: Lookup, resource: Resource, text: string): Promise<number[]> {
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

/**
 * Returns the field of the key that follows the tenant's part, such as 101 of `acme/101`; undefined if there is none.
 */
function ownPart(resource: Resource): string | undefined {
  const own = resource.key.filter(field => !targetOf(resource, field))
  return isNamed(resource) && own.length < resource.key.length && own.length === 1 ? own[0] : undefined
}

/** Known values of the record that holds a reference, such as its tenant. */
type Known = Readonly<Record<string, unknown>>

/** Finds records by their own part of the key, within the known tenant, or in any. */
async function byOwnPart(records: Lookup, resource: Resource, text: string, holder: Known): Promise<number[]> {
  const own = ownPart(resource)
  if (own === undefined) return []
  const scope = resource.key.flatMap(field =>
    typeof holder[field] === 'number' ? [[field, holder[field]] as const] : [],
  )
  return records.identify(resource, { ...Object.fromEntries(scope), [own]: text })
}

const tenantIn = ({ tenant_id }: Known): number | undefined => (typeof tenant_id === 'number' ? tenant_id : undefined)

/** True if a record found by id belongs to the known tenant. */
const isWithin = (resource: Resource, row: Row | null, holder: Known): boolean =>
  row !== null && resource.key.every(field => typeof holder[field] !== 'number' || row[field] === holder[field])

/**
 * Returns the ids that a reference may mean: none, one, or more if it is ambiguous. A plain number may be an id, or
 * the number of an extension, a queue or a rate. A phone number may be written in any form.
 */
export async function idsOf(records: Lookup, resource: Resource, text: string, holder: Known = {}): Promise<number[]> {
  const id = Number(ID.exec(text)?.[1])
  const row = Number.isNaN(id) ? null : await records.find(resource, id)
  if (text.startsWith('id:')) return row ? [id] : []
  const byName = await byKey(records, resource, text)
  const byNumber = byName.length > 0 ? [] : await byOwnPart(records, resource, text, holder)
  const found = [...new Set([...(isWithin(resource, row, holder) ? [id] : []), ...byName, ...byNumber])]
  return found.length > 0 ? found : numberFinder(records, resource, tenantIn(holder))(text)
}

/** Returns the id of the record that is meant. Throws if there is none, or more than one. */
export async function resolve(records: Lookup, resource: Resource, text: string, holder: Known = {}): Promise<number> {
  const [id, ...others] = await idsOf(records, resource, text, holder)
  if (id === undefined)
    throw new CliError(
      EXIT.noRecord,
      `there is no ${labelOf(resource)} ${JSON.stringify(text)}; give its ${referenceForm(resource).replaceAll('|', ' or ')}`,
      `trunkline ${commandOf(resource)} list`,
    )
  if (others.length > 0) throw await ambiguous(records, resource, text, [id, ...others])
  return id
}

/** Names each of them uniquely; no hint chooses one, since that might be the wrong one to change. */
async function ambiguous(records: Lookup, resource: Resource, text: string, ids: readonly number[]): Promise<CliError> {
  const nameOf = naming(records)
  const names = await Promise.all(ids.map(async id => `id:${id} (${await nameOf(resource, id)})`))
  return new CliError(
    EXIT.usage,
    `${JSON.stringify(text)} means more than one ${labelOf(resource)}: ${names.join(' and ')}`,
  )
}

/** Adds a flag for the tenant of the record that a command is about. */
export const tenantOption = (command: Command, resource: Resource): Command =>
  ownPart(resource) !== undefined && resource.key[0] === 'tenant_id'
    ? command.option('--tenant <SLUG|ID>', `the tenant of the ${labelOf(resource)}, if its name does not include it`)
    : command

/** Prefixes the text with its tenant; it may have that prefix already, and no other. */
async function withTenant(records: Lookup, text: string, tenant: string): Promise<string> {
  const tenants = resourceNamed('tenants')
  const [written = ''] = text.split('/')
  const [named] = text.includes('/') ? await idsOf(records, tenants, written) : []
  if (named === undefined) return `${tenant}/${text}`
  if (named !== (await resolve(records, tenants, tenant)))
    throw new CliError(EXIT.usage, `the tenant is named twice: ${written} and --tenant ${tenant}`)
  return text
}

/** Finds the record that a command is about, as `resolve` does, within the tenant of the flag if given. */
export const recordMeant = async (
  records: Lookup,
  resource: Resource,
  text: string,
  tenant?: unknown,
): Promise<number> =>
  resolve(records, resource, tenant === undefined ? text : await withTenant(records, text, String(tenant)))

/**
 * Finds the record to delete like `recordMeant`, but never by taking a given id for a number: a script that deletes by
 * ids must not delete others when it runs again.
 */
export async function recordToDelete(
  records: Lookup,
  resource: Resource,
  text: string,
  tenant?: unknown,
): Promise<number> {
  const id = await recordMeant(records, resource, text, tenant)
  if (tenant !== undefined || ownPart(resource) === undefined || ID.exec(text)?.[1] === String(id) || !ID.test(text))
    return id
  const name = await naming(records)(resource, id)
  throw new CliError(EXIT.noRecord, `there is no ${labelOf(resource)} with the id ${text}`, againWith(text, name))
}

/** Returns a name for that record alone: its natural key, or `id:7` if a command would take that for something else. */
export async function spelling(records: Lookup, resource: Resource, id: number): Promise<string> {
  const name = await naming(records)(resource, id)
  const isPlain = name !== String(id) && name === printable(name) && !name.startsWith('-')
  const ids = isPlain ? await idsOf(records, resource, name) : []
  return ids.length === 1 && ids[0] === id ? name : `id:${id}`
}

/** Returns a function that names the record of an id: `acme/101`, or the id. It caches what it reads. */
export function naming(records: Lookup): (resource: Resource, id: number) => Promise<string> {
  const names = new Map<string, Promise<string>>()
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
    const name = names.get(key) ?? read(resource, id)
    names.set(key, name)
    return name
  }
  return nameOf
}
