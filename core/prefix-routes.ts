/** A way that numbers take which begin so, of one tenant or of all. */
export interface PrefixRoute {
  /** null: for every tenant without one of its own that fits. */
  readonly tenant_id: number | null
  /** Digits of an E.164 number, without the plus; empty for all. */
  readonly prefix: string
}

/** The route to a number: the tenant's own before those of all, and of those the longest prefix. */
export function routeFor<R extends PrefixRoute>(routes: readonly R[], tenantId: number | null, to: string): R | null {
  const digits = to.replace(/^\+/, '')
  const weight = ({ tenant_id, prefix }: R): number => (tenant_id === null ? 0 : 100) + prefix.length
  return (
    routes
      .filter(({ tenant_id, prefix }) => (tenant_id === null || tenant_id === tenantId) && digits.startsWith(prefix))
      .toSorted((one, other) => weight(other) - weight(one))[0] ?? null
  )
}
