import type { Resource } from '../../../core/resources/resource.ts'
import type { Lookup } from '../../../core/use-cases/records/lookup.ts'
import { numberField, numberFinder } from '../../../core/use-cases/records/same-number.ts'
import { type Context, say } from '../context.ts'
import { labelOf, naming } from './references.ts'

/** True if several records may share a natural key, since the rules of the API allow it. */
export const mayBeShared = ({ key, unique }: Resource): boolean =>
  key.length > 0 && !unique.some(set => set.every(name => key.includes(name)))

/** Warns if another record has the same natural key: other commands refuse an ambiguous name. */
export async function warnOfSameKey(context: Context, records: Lookup, resource: Resource, id: number): Promise<void> {
  const row = mayBeShared(resource) ? await records.find(resource, id) : null
  if (!row) return
  const where = Object.fromEntries(resource.key.map(name => [name, row[name] ?? null]))
  const same = await records.identify(resource, where)
  const field = numberField(resource)
  const alike =
    field === null ? [] : await numberFinder(records, resource, Number(row['tenant_id']))(String(row[field]))
  const another = [...same, ...alike].find(each => each !== id)
  if (another === undefined) return
  const name = await naming(records)(resource, another)
  say(context, `warning: there is another ${labelOf(resource)} ${name}, id:${another}; this one is id:${id}`)
}
