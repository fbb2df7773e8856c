import type { Actor } from '../audit.ts'
import type { PrefixRoute } from '../prefix-routes.ts'

/** A stored route and the records that it leads through: gateways of messages, trunks of calls. */
export interface StoredRoute extends PrefixRoute {
  readonly id: number
  /** Ids, the first tried first. */
  readonly via: readonly number[]
}

export interface PrefixRoutes {
  all(): Promise<readonly StoredRoute[]>
  /** Stores the route, in place of the one of that tenant and prefix. Throws `invalid` on the tenant. */
  set(route: Omit<StoredRoute, 'id'>, by?: Actor): Promise<StoredRoute>
  /** Tells whether there was one. */
  remove(id: number, by?: Actor): Promise<boolean>
}
