import type { Records } from '../../ports/records.ts'
import { tenants } from '../../resources/tenants.ts'

/** Returns a tenant's time zone, in which its days begin; UTC if there is no such tenant. */
export const timeZoneOf = async (records: Pick<Records, 'find'>, tenantId: number): Promise<string> =>
  String((await records.find(tenants, tenantId))?.['timezone'] ?? 'UTC')
