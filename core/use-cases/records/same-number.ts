import type { Dialling } from '../../dialling/dialling.ts'
import { diallingOf } from '../../dialling/settings.ts'
import { objects, parseJson } from '../../json.ts'
import type { Records } from '../../ports/records.ts'
import type { Resource } from '../../resources/resource.ts'
import { tenants } from '../../resources/tenants.ts'

/** The field by which records are named where that is a telephone number, as with DIDs; null for other resources. */
export function numberField({ key, fields }: Pick<Resource, 'key' | 'fields'>): string | null {
  const [name, ...others] = key
  return name !== undefined && others.length === 0 && fields[name]?.dialled === 'number' ? name : null
}

/**
 * Reads numbers as a tenant dials them: one number gives the same digits however it is written. What is not a number gives
 * none. It remembers how each tenant dials.
 */
export function numberReader(records: Records): (tenantId: number, number: string) => Promise<string> {
  const known = new Map<number, Promise<Dialling>>()
  const read = async (tenantId: number): Promise<Dialling> => {
    const settings = (await records.find(tenants, tenantId))?.['settings']
    return diallingOf(typeof settings === 'string' ? parseJson(settings) : null)
  }
  return async (tenantId, number) => {
    const dialling = known.get(tenantId) ?? read(tenantId)
    known.set(tenantId, dialling)
    return (await dialling).read(number).digits
  }
}

/**
 * Returns how a tenant's record writes a number that may be written in another way, or the number as it is where no
 * record has it. It reads a tenant's records once, when the first of its numbers is looked for, and takes a number that
 * no record has for the spelling of those that follow.
 */
export function numberSpelling(
  records: Records,
  resource: Resource,
  field: string,
): (tenantId: number, number: string) => Promise<string> {
  const digitsOf = numberReader(records)
  const known = new Map<number, Promise<Map<string, string>>>()
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
    const reading = known.get(tenantId) ?? read(tenantId)
    known.set(tenantId, reading)
    const spellings = await reading
    const digits = await digitsOf(tenantId, number)
    const spelling = spellings.get(number) ?? (digits === '' ? undefined : spellings.get(digits)) ?? number
    if (digits !== '' && !spellings.has(digits)) spellings.set(digits, spelling)
    return spelling
  }
}

/**
 * Finds the records named by a telephone number, however it is written; of one tenant where that is known. It reads the
 * records once, when the first number is looked for.
 */
export function numberFinder(
  records: Records,
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
  let known: ReturnType<typeof read> | null = null
  return async number => {
    if (!/\d/.test(number)) return []
    known ??= read()
    const found: number[] = []
    for (const [tenant, ids] of await known) {
      const digits = await digitsOf(tenant, number)
      if (digits !== '') found.push(...(ids.get(digits) ?? []))
    }
    return found
  }
}
