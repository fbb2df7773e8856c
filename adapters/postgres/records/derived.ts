import type { Resource } from '../../../core/resources/resource.ts'

/** What is derived from a declaration, such as its SQL, made once for each when it is first asked for. */
export function derived<T extends {}>(make: (resource: Resource) => T): (resource: Resource) => T {
  const made = new Map<Resource, T>()
  return resource => {
    const known = made.get(resource)
    if (known) return known
    const first = make(resource)
    made.set(resource, first)
    return first
  }
}
