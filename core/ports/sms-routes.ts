import type { SmsRoute } from '../sms/routes.ts'

/** Through which gateways messages go where none is named. */
export interface SmsRoutes {
  all(): Promise<readonly SmsRoute[]>
  /** Stores the route, in place of the one of that tenant and prefix. Throws `invalid` on the tenant. */
  set(route: Omit<SmsRoute, 'id'>): Promise<SmsRoute>
  /** Tells whether there was one. */
  remove(id: number): Promise<boolean>
}
