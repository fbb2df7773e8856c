import type { BulkRecord } from '../../ports/bulk.ts'
import { TENANT } from '../../resources/references/within.ts'
import type { Resource } from '../../resources/resource.ts'
import type { Lookup } from '../../use-cases/records/lookup.ts'
import { numberField, numberSpelling } from '../../use-cases/records/same-number.ts'
import type { Reading } from '../batches.ts'
import type { OpenedSource } from '../input/source.ts'
import type { ImportOptions } from '../options.ts'

/**
 * If the key is a phone number, rewrites each number as the stored record has it, so that the record is found:
 * +380441234567 and 044 1234567 are one DID of a tenant in Kyiv.
 */
export function storedKeys(
  records: Lookup,
  resource: Resource,
  { reader: { columns }, constants }: OpenedSource,
  { mode }: Pick<ImportOptions, 'mode'>,
): Reading['withStoredKeys'] {
  const field = numberField(resource)
  const at = field === null ? -1 : columns.indexOf(field)
  if (field === null || at === -1 || (mode !== 'upsert' && mode !== 'skip')) return async batch => batch
  const spelling = numberSpelling(records, resource, field)
  const tenantAt = columns.indexOf(TENANT)
  const respelled = async (record: BulkRecord): Promise<BulkRecord> => {
    const number = record.values[at]
    const tenant = tenantAt === -1 ? constants[TENANT] : record.values[tenantAt]
    if (typeof number !== 'string' || typeof tenant !== 'number') return record
    return { ...record, values: record.values.with(at, await spelling(tenant, number)) }
  }
  return async batch => {
    const all: BulkRecord[] = []
    for (const record of batch) all.push(await respelled(record))
    return all
  }
}
