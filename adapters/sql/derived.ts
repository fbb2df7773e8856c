import type { Resource } from '../../core/resources/resource.ts'

/** Caches what is derived from a declaration, such as its SQL, from first use. */
export function derived<T extends {}>(make: (resource: Resource) => T): (resource: Resource) => T {
  const made = new Map<Resource, T>()
  return resource => {
    const cached = made.get(resource)
    if (cached) return cached
    const first = make(resource)
    made.set(resource, first)
    return first
  }
}
