import type { SmsFigures, SmsReports } from '../../../core/ports/messaging/sms-reports.ts'
import type { Connection } from '../database/database.ts'

export function smsReports({ query, value }: Connection): SmsReports {
  const figures = query<[string, string], SmsFigures>(
    `SELECT sms_gateway_id, tenant_id, status_class, count(*) AS messages, sum(coalesce(parts, sms_parts(message))) AS parts
     FROM sms_messages WHERE requested_at >= ? AND requested_at < ?
     GROUP BY sms_gateway_id, tenant_id, status_class ORDER BY sms_gateway_id, tenant_id, status_class`,
  )
  const suspects = value<[number], number>(
    'SELECT gateway_id FROM gateway_failures WHERE in_a_row >= ? ORDER BY gateway_id',
  )
  const pending = value<[], number>("SELECT count(*) FROM sms_messages WHERE status_class = 'pending'")
  const overdue = query<[string], { gateway: number; count: number }>(
    `SELECT sms_gateway_id AS gateway, count(*) AS count FROM sms_messages
     WHERE status_class = 'pending' AND requested_at < ? GROUP BY sms_gateway_id`,
  )
  return {
    figures: async ({ from, to }) => figures.all(from, to),
    suspects: async failures => suspects.all(failures),
    pending: async () => pending.get() ?? 0,
    overdue: async before => overdue.all(before),
  }
}
