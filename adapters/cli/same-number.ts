import type { Dialling } from '../../core/dialling/dialling.ts'
import { diallingOf } from '../../core/dialling/settings.ts'
import { parseJson } from '../../core/json.ts'
import type { Records } from '../../core/ports/records.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { cell, objects } from './json-values.ts'

/** The field by which records are named where that is a telephone number, as with DIDs; null for other resources. */
export function numberField({ key, fields }: Pick<Resource, 'key' | 'fields'>): string | null {
  const [name, ...others] = key
  return name !== undefined && others.length === 0 && fields[name]?.dialled === 'number' ? name : null
}

/**
 * Reads numbers as a tenant dials them: one number gives the same digits however it is written. What is no number gives
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

/** The records named by a telephone number, however it is written; of one tenant where that is known. */
export async function idsOfNumber(
  records: Records,
  resource: Resource,
  number: string,
  tenantId?: number,
): Promise<number[]> {
  const field = numberField(resource)
  if (field === null || !/\d/.test(number)) return []
  const digitsOf = numberReader(records)
  const ids: number[] = []
  const where = tenantId === undefined ? {} : { tenant_id: tenantId }
  for await (const page of records.list(resource, { view: 'plain', where }))
    for (const row of objects(`[${page.json}]`)) {
      const tenant = Number(row['tenant_id'])
      const digits = await digitsOf(tenant, number)
      if (digits !== '' && digits === (await digitsOf(tenant, cell(row[field])))) ids.push(Number(row['id']))
    }
  return ids
}
