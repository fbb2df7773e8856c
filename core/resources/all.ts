import { cdrs } from './cdrs.ts'
import { dids, routes } from './dids.ts'
import { agents, devices, extensions } from './extensions.ts'
import type { Reference } from './field.ts'
import { queues } from './queues.ts'
import { rates } from './rates.ts'
import { collectionOf, type Resource, type Row } from './resource.ts'
import { smsGateways } from './sms-gateways.ts'
import { smsMessages } from './sms-messages.ts'
import { tenants } from './tenants.ts'
import { trunks } from './trunks.ts'

/** Every declared resource; those with a path have endpoints. */
export const resources: readonly Resource[] = [
  tenants,
  extensions,
  queues,
  rates,
  dids,
  trunks,
  cdrs,
  smsGateways,
  smsMessages,
  devices,
  agents,
  routes,
]

const byName = new Map(resources.map(resource => [resource.name, resource]))

/** Returns the resource of that name. Throws if there is none, which is a mistake in a declaration. */
export function resourceNamed(name: string): Resource {
  const found = byName.get(name)
  if (!found) throw new Error(`No resource is declared with the name ${name}.`)
  return found
}

const byCollection = new Map(resources.map(resource => [collectionOf(resource), resource]))

/** Returns the resource of a collection's path segment; undefined if there is none. */
export const resourceOf = (collection: string): Resource | undefined => byCollection.get(collection)

export const exposedResources = resources.filter(resource => resource.path !== null)

export interface Pointing {
  readonly from: Resource
  readonly field: string
  readonly onDelete: Reference['onDelete']
  /** Other values that such a record has, if the field may point to several resources: `target_type`. */
  readonly kind: Readonly<Record<string, string>>
  /** Returns the values that records pointing at this id hold. */
  where(id: number): Row
}

/** Returns the resources whose records point at one of `target`, and the field that does. */
export function referencesTo(target: Pick<Resource, 'name'>): Pointing[] {
  return resources.flatMap(from =>
    Object.entries(from.fields).flatMap(([field, { references }]): Pointing[] => {
      if (!references) return []
      const { to, onDelete } = references
      if (to === target.name) return [pointing(from, field, onDelete, {})]
      if (typeof to === 'string') return []
      const { by, ...targets } = to
      return Object.entries(targets)
        .filter(([, name]) => name === target.name)
        .map(([kind]) => pointing(from, field, onDelete, { [by]: kind }))
    }),
  )
}

const pointing = (
  from: Resource,
  field: string,
  onDelete: Reference['onDelete'],
  kind: Pointing['kind'],
): Pointing => ({
  from,
  field,
  onDelete,
  kind,
  where: id => ({ ...kind, [field]: id }),
})
