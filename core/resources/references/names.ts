import { resourceNamed } from '../all.ts'
import type { Reference } from '../field.ts'
import type { Resource } from '../resource.ts'

/** A resource that a reference may point to, and how its records are named: by their natural key. */
export interface NamedTarget {
  readonly resource: Resource
  /** The value of `by` that selects this target; null if there is only one. */
  readonly kind: string | null
  /** The field of the key that is a name in itself. */
  readonly own: string
  /** The rest of the key: a reference to the owner, such as an extension's tenant; null if there is none. */
  readonly outer: NamedReference | null
}

/** How files name a referenced record, since ids differ between databases. */
export interface NamedReference {
  readonly field: string
  /** The column with the name: `tenant` for `tenant_id`. */
  readonly column: string
  readonly targets: readonly NamedTarget[]
  /** The field that selects the target; null if there is only one. */
  readonly by: string | null
  /** The record's own field that completes the name, such as the tenant of an extension; null if there is none. */
  readonly outer: string | null
}

/** Returns the fields whose references can be named. */
export function namedReferences({ fields }: Pick<Resource, 'fields'>): NamedReference[] {
  return Object.entries(fields).flatMap(([field, { references }]) => {
    const named = references && namedReference(field, references)
    return named ? [named] : []
  })
}

function namedReference(field: string, { to }: Reference): NamedReference | null {
  const { by, ...kinds } = typeof to === 'string' ? { by: null, '': to } : to
  const targets = Object.entries(kinds).flatMap(([kind, name]) => namedTarget(by === null ? null : kind, name))
  if (targets.length < Object.keys(kinds).length) return null
  const outer = targets.map(target => target.outer?.field ?? null).find(name => name !== null) ?? null
  return { field, column: field.replace(/_id$/, ''), targets, by, outer }
}

function namedTarget(kind: string | null, name: string): NamedTarget[] {
  const resource = resourceNamed(name)
  const [own, ...others] = resource.key.filter(part => !resource.fields[part]?.references)
  const outer = namedReferences(resource).filter(({ field }) => resource.key.includes(field))
  const isNameable = own !== undefined && others.length === 0 && outer.length === resource.key.length - 1
  return isNameable ? [{ resource, kind, own, outer: outer[0] ?? null }] : []
}

/** True if another column completes the name, so that a plain number is not an id. */
export const isCompleted = ({ by, outer }: NamedReference): boolean => by !== null || outer !== null
