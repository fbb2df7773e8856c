import type { Actor } from '../../audit.ts'
import { invalid, notFound } from '../../errors.ts'
import { parseJson } from '../../json.ts'
import type { StoredRoute } from '../../ports/prefix-routes.ts'
import type { PrefixRoute } from '../../prefix-routes.ts'
import { smsGateways } from '../../resources/sms-gateways.ts'
import { smsRoutes } from '../../resources/sms-routes.ts'
import { dangling, mergeErrors } from '../../resources/values/field-errors.ts'
import { asBody, parseMembers } from '../../resources/values/input.ts'
import type { Lookup } from '../records/lookup.ts'
import type { PrefixRouting } from '../records/prefix-routing.ts'

/** The gateways for messages that name none. */
export interface SmsRoute extends PrefixRoute {
  readonly id: number
  /** Ids, in the order to try. */
  readonly gateways: readonly number[]
}

const asSmsRoute = ({ via, ...route }: StoredRoute): SmsRoute => ({ ...route, gateways: via })

/** Administers message routes. */
export interface SmsRouting {
  /** Sorted by tenant, then by prefix. */
  list(): Promise<readonly SmsRoute[]>
  /**
   * Stores a route, replacing one of the same tenant and prefix: `{tenant_id?, prefix?, gateways: [id, …]}`. Throws
   * `invalid`.
   */
  set(body: unknown, by?: Actor): Promise<SmsRoute>
  /** Throws `not_found`. */
  remove(id: number, by?: Actor): Promise<void>
}

export function smsRouting(records: Lookup, routes: PrefixRouting): SmsRouting {
  const areThere = async (ids: readonly number[]): Promise<boolean> => {
    for (const id of ids) if (!(await records.find(smsGateways, id))) return false
    return true
  }
  return {
    list: async () => (await routes.list()).map(asSmsRoute),
    set: async (body, by) => {
      const { values, errors } = parseMembers(smsRoutes.fields, asBody(body), 'create')
      const gateways = idsIn(values['gateways'])
      const missing = (await areThere(gateways)) ? [] : [dangling('gateways')]
      const problems = mergeErrors(smsRoutes, errors, await records.violations(smsRoutes, values), missing)
      if (problems.length > 0) throw invalid(problems)
      const { tenant_id = null, prefix } = values
      const route = { tenant_id: tenant_id === null ? null : Number(tenant_id), via: gateways }
      return asSmsRoute(await routes.set({ ...route, prefix: String(prefix ?? '') }, by))
    },
    remove: async (id, by) => {
      if (!(await routes.remove(id, by))) throw notFound(smsRoutes.label)
    },
  }
}

function idsIn(json: unknown): readonly number[] {
  const ids = typeof json === 'string' ? parseJson(json) : null
  return Array.isArray(ids) ? ids.map(Number) : []
}
