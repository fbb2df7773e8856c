import type { Actor } from '../../audit.ts'
import type { PrefixRoutes, StoredRoute } from '../../ports/prefix-routes.ts'

/** Administers the routes of messages, or those of calls. */
export interface PrefixRouting {
  /** Sorted by tenant, then by prefix. */
  list(): Promise<readonly StoredRoute[]>
  /** Stores a route, replacing one of the same tenant and prefix, which may have a plus. Throws `invalid` on the tenant. */
  set(route: Omit<StoredRoute, 'id'>, by?: Actor): Promise<StoredRoute>
  /** Returns whether there was one. */
  remove(id: number, by?: Actor): Promise<boolean>
}

export const prefixRouting = (routes: PrefixRoutes): PrefixRouting => ({
  list: () => routes.all(),
  set: ({ prefix, ...route }, by) => routes.set({ ...route, prefix: prefix.replace(/^\+/, '') }, by),
  remove: (id, by) => routes.remove(id, by),
})
