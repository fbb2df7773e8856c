import type { Dialling } from '../../dialling/read-number.ts'
import { diallingOf } from '../../dialling/settings.ts'
import { objects, parseJson } from '../../json.ts'
import type { Resource } from '../../resources/resource.ts'
import { tenants } from '../../resources/tenants.ts'
import type { Lookup } from './lookup.ts'

/** Returns the field that names records if that is a phone number, as with DIDs; null for other resources. */
export function numberField({ key, fields }: Pick<Resource, 'key' | 'fields'>): string | null {
  const [name, ...others] = key
  return name !== undefined && others.length === 0 && fields[name]?.dialled === 'number' ? name : null
}

/**
 * Returns a function that reads numbers as a tenant dials them: one number gives the same digits in any spelling, and
 * anything else gives none. Caches how each tenant dials.
 */
export function numberReader(
  records: Pick<Lookup, 'find' | 'list'>,
): (tenantId: number, number: string) => Promise<string> {
  const diallings = new Map<number, Promise<Dialling>>()
  const read = async (tenantId: number): Promise<Dialling> => {
    const settings = (await records.find(tenants, tenantId))?.['settings']
    return diallingOf(typeof settings === 'string' ? parseJson(settings) : null)
  }
  return async (tenantId, number) => {
    const dialling = diallings.get(tenantId) ?? read(tenantId)
    diallings.set(tenantId, dialling)
    return (await dialling).read(number).digits
  }
}

/**
 * Returns a function that spells a number as the tenant's record does, or leaves it as it is if no record has it.
 * Reads a tenant's records on its first number; a number without a record then sets the spelling for the following
 * ones.
 */
export function numberSpelling(
  records: Pick<Lookup, 'find' | 'list'>,
  resource: Resource,
  field: string,
): (tenantId: number, number: string) => Promise<string> {
  const digitsOf = numberReader(records)
  const byTenant = new Map<number, Promise<Map<string, string>>>()
  const read = async (tenantId: number): Promise<Map<string, string>> => {
    const spellings = new Map<string, string>()
    for await (const page of records.list(resource, { view: 'plain', where: { tenant_id: tenantId } }))
      for (const row of objects(`[${page.json}]`)) {
        const number = String(row[field] ?? '')
        spellings.set(number, number)
        spellings.set(await digitsOf(tenantId, number), number)
      }
    return spellings
  }
  return async (tenantId, number) => {
    const reading = byTenant.get(tenantId) ?? read(tenantId)
    byTenant.set(tenantId, reading)
    const spellings = await reading
    const digits = await digitsOf(tenantId, number)
    const spelling = spellings.get(number) ?? (digits === '' ? undefined : spellings.get(digits)) ?? number
    if (digits !== '' && !spellings.has(digits)) spellings.set(digits, spelling)
    return spelling
  }
}

/**
 * Returns a function that finds records by their phone number in any spelling; within one tenant if given. Reads the
 * records on the first number.
 */
export function numberFinder(
  records: Pick<Lookup, 'find' | 'list'>,
  resource: Resource,
  tenantId?: number,
): (number: string) => Promise<number[]> {
  const field = numberField(resource)
  if (field === null) return async () => []
  const digitsOf = numberReader(records)
  const read = async () => {
    const byTenant = new Map<number, Map<string, number[]>>()
    const where = tenantId === undefined ? {} : { tenant_id: tenantId }
    for await (const page of records.list(resource, { view: 'plain', where }))
      for (const row of objects(`[${page.json}]`)) {
        const tenant = Number(row['tenant_id'])
        const ids = byTenant.get(tenant) ?? new Map<string, number[]>()
        const digits = await digitsOf(tenant, String(row[field] ?? ''))
        byTenant.set(tenant, ids.set(digits, [...(ids.get(digits) ?? []), Number(row['id'])]))
      }
    return byTenant
  }
  let idsByTenant: ReturnType<typeof read> | null = null
  return async number => {
    if (!/\d/.test(number)) return []
    idsByTenant ??= read()
    const found: number[] = []
    for (const [tenant, ids] of await idsByTenant) {
      const digits = await digitsOf(tenant, number)
      if (digits !== '') found.push(...(ids.get(digits) ?? []))
    }
    return found
  }
}
