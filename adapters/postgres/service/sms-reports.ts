import type { SmsFigures, SmsReports } from '../../../core/ports/messaging/sms-reports.ts'
import { partsOf } from '../../../core/sms/text.ts'
import type { Database } from '../database/database.ts'
import { idOf, keyPages } from '../database/key-pages.ts'
import { raw, sql } from '../database/sql.ts'

/** Texts stored without their parts are counted here, this many at a time. */
const PAGE = 1_000

interface OldMessage extends Omit<SmsFigures, 'messages' | 'parts'> {
  readonly id: number
  readonly message: string
}

const keyOf = (of: Pick<SmsFigures, 'sms_gateway_id' | 'tenant_id' | 'status_class'>): string =>
  JSON.stringify([of.sms_gateway_id, of.tenant_id, of.status_class])

/** The storage port for totals of messages. */
export function smsReports(database: Database): SmsReports {
  const pending = raw(`status_class = 'pending'`)
  return {
    figures: async ({ from, to }) => {
      const within = sql`requested_at >= ${from} AND requested_at < ${to}`
      const figures = await database.rows<SmsFigures>(sql`SELECT sms_gateway_id, tenant_id, status_class,
          count(*) AS messages, coalesce(sum(parts), 0)::bigint AS parts FROM sms_messages WHERE ${within}
        GROUP BY sms_gateway_id, tenant_id, status_class
        ORDER BY sms_gateway_id, tenant_id NULLS FIRST, status_class NULLS FIRST`)
      const missing = new Map<string, number>()
      const after = (id: number) => sql`SELECT id, sms_gateway_id, tenant_id, status_class, message
        FROM sms_messages WHERE ${within} AND parts IS NULL AND id > ${id} ORDER BY id`
      for await (const found of keyPages<OldMessage>(database, PAGE, idOf, after))
        for (const each of found) missing.set(keyOf(each), (missing.get(keyOf(each)) ?? 0) + partsOf(each.message))
      return figures.map(each => ({ ...each, parts: each.parts + (missing.get(keyOf(each)) ?? 0) }))
    },
    suspects: failures =>
      database.values<number>(
        sql`SELECT gateway_id FROM gateway_failures WHERE in_a_row >= ${failures} ORDER BY gateway_id`,
      ),
    pending: async () => (await database.value<number>(sql`SELECT count(*) FROM sms_messages WHERE ${pending}`)) ?? 0,
    overdue: before =>
      database.rows(sql`SELECT sms_gateway_id AS gateway, count(*) AS count FROM sms_messages
        WHERE ${pending} AND requested_at < ${before} GROUP BY sms_gateway_id`),
  }
}
