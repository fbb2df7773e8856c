import type { SmsFigures, SmsReports } from '../../../core/ports/sms-reports.ts'
import type { Connection } from '../database/database.ts'

/** The storage port for what messages come to. */
export function smsReports({ query, value }: Connection): SmsReports {
  const figures = query<[string, string], SmsFigures>(
    `SELECT sms_gateway_id, tenant_id, status_class, count(*) AS messages, coalesce(sum(parts), 0) AS parts
     FROM sms_messages WHERE requested_at >= ? AND requested_at < ?
     GROUP BY sms_gateway_id, tenant_id, status_class ORDER BY sms_gateway_id, tenant_id, status_class`,
  )
  const suspects = value<[number, number], number>(
    `SELECT g.id FROM sms_gateways g WHERE (
       SELECT count(*) FROM (
         SELECT submitted_at, status_class FROM sms_messages m
         WHERE m.sms_gateway_id = g.id AND NOT (status_class = 'pending' AND submitted_at IS NULL)
         ORDER BY created_at DESC LIMIT ?)
       WHERE submitted_at IS NULL AND status_class IN ('failed', 'unknown')) >= ? ORDER BY g.id`,
  )
  const overdue = query<[string], { gateway: number; count: number }>(
    `SELECT sms_gateway_id AS gateway, count(*) AS count FROM sms_messages
     WHERE status_class = 'pending' AND requested_at < ? GROUP BY sms_gateway_id`,
  )
  return {
    figures: async ({ from, to }) => figures.all(from, to),
    suspects: async failures => suspects.all(failures, failures),
    overdue: async before => overdue.all(before),
  }
}
