import type { Records } from '../../ports/records.ts'
import { tenants } from '../../resources/tenants.ts'

/** The time zone of a tenant, by which its days begin; UTC where there is no such tenant. */
export const timeZoneOf = async (records: Pick<Records, 'find'>, tenantId: number): Promise<string> =>
  String((await records.find(tenants, tenantId))?.['timezone'] ?? 'UTC')
