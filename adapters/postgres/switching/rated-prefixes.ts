import type { RatedPrefixes } from '../../../core/ports/switching.ts'
import { IS_ACTIVE } from '../calls/call-ratings.ts'
import type { Database } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'

export const ratedPrefixes = (database: Database): RatedPrefixes => ({
  of: tenantId =>
    database.values<string>(
      sql`SELECT DISTINCT prefix FROM rates WHERE tenant_id = ${tenantId} AND ${raw(IS_ACTIVE)} ORDER BY prefix`,
    ),
})
