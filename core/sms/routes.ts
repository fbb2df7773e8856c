/** An ordered list of gateways for what a tenant sends, or for numbers that begin so, or for both. */
export interface SmsRoute {
  readonly id: number
  /** null: for every tenant, and for messages of none. */
  readonly tenant_id: number | null
  /** Digits that a destination begins with; empty for all. */
  readonly prefix: string
  /** Ids, the first tried first. */
  readonly gateways: readonly number[]
}

/** The route of a message: the tenant's own before those of all, and of those the longest prefix. */
export function routeFor(routes: readonly SmsRoute[], tenantId: number | null, to: string): SmsRoute | null {
  const digits = to.replace(/^\+/, '')
  const weight = ({ tenant_id, prefix }: SmsRoute): number => (tenant_id === null ? 0 : 100) + prefix.length
  return (
    routes
      .filter(({ tenant_id, prefix }) => (tenant_id === null || tenant_id === tenantId) && digits.startsWith(prefix))
      .toSorted((one, other) => weight(other) - weight(one))[0] ?? null
  )
}
