import type { RatedPrefixes } from '../../../core/ports/switching.ts'
import { IS_ACTIVE } from '../calls/call-ratings.ts'
import type { Connection } from '../database/database.ts'

export function ratedPrefixes({ value }: Connection): RatedPrefixes {
  const prefixes = value<[number], string>(`SELECT DISTINCT prefix FROM rates WHERE tenant_id = ? AND ${IS_ACTIVE}`)
  return { of: async tenantId => prefixes.all(tenantId) }
}
