/** Where numbers with a prefix are sent, for one tenant or for all. */
export interface PrefixRoute {
  /** null: for every tenant without a matching route of its own. */
  readonly tenant_id: number | null
  /** Digits of an E.164 number, without the plus; empty for every number. */
  readonly prefix: string
}

/** Returns the route for a number: the tenant's own before shared ones, and the longest prefix among those. */
export function routeFor<R extends PrefixRoute>(routes: readonly R[], tenantId: number | null, to: string): R | null {
  const digits = to.replace(/^\+/, '')
  const weight = ({ tenant_id, prefix }: R): number => (tenant_id === null ? 0 : 100) + prefix.length
  return (
    routes
      .filter(({ tenant_id, prefix }) => (tenant_id === null || tenant_id === tenantId) && digits.startsWith(prefix))
      .toSorted((one, other) => weight(other) - weight(one))[0] ?? null
  )
}
