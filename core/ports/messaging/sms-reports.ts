import type { Timestamp } from '../../dates.ts'
import type { Period } from '../../rating/period.ts'
import type { StatusClass } from '../../sms/status-class.ts'

/** Counts of messages that share a gateway, a tenant and the meaning of their status. */
export interface SmsFigures {
  readonly sms_gateway_id: number
  readonly tenant_id: number | null
  /** null: a status without a class. */
  readonly status_class: StatusClass | null
  readonly messages: number
  readonly parts: number
}

/** Statistics on messages. */
export interface SmsReports {
  /** Returns the figures of the messages requested in a period. */
  figures(period: Period): Promise<readonly SmsFigures[]>
  /** Returns the gateways whose last sends, at least that many, all failed. */
  suspects(failures: number): Promise<readonly number[]>
  /** Returns the number of messages without a final status. */
  pending(): Promise<number>
  /** Returns the number of messages requested before that moment without a final status, by gateway. */
  overdue(before: Timestamp): Promise<readonly { readonly gateway: number; readonly count: number }[]>
}
