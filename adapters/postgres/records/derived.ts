import type { Resource } from '../../../core/resources/resource.ts'

/** Derives a value, such as SQL, from a declaration on first use, and caches it. */
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
