import type { Actor } from '../audit.ts'
import type { PrefixRoute } from '../prefix-routes.ts'

/** A stored route and the records that it leads through: gateways for messages, trunks for calls. */
export interface StoredRoute extends PrefixRoute {
  readonly id: number
  /** Ids, in the order to try. */
  readonly via: readonly number[]
}

export interface PrefixRoutes {
  all(): Promise<readonly StoredRoute[]>
  /** Stores the route, replacing one of the same tenant and prefix. Throws `invalid` on the tenant. */
  set(route: Omit<StoredRoute, 'id'>, by?: Actor): Promise<StoredRoute>
  /** Returns whether there was one. */
  remove(id: number, by?: Actor): Promise<boolean>
}
