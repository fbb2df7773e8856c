import type { Timestamp } from '../../dates.ts'
import type { Period } from '../../rating/period.ts'
import type { StatusClass } from '../../sms/status-class.ts'

/** Messages of one gateway and tenant whose status means the same. */
export interface SmsFigures {
  readonly sms_gateway_id: number
  readonly tenant_id: number | null
  /** null: the status is in no class. */
  readonly status_class: StatusClass | null
  readonly messages: number
  readonly parts: number
}

/** What messages come to. */
export interface SmsReports {
  /** Of the messages that were requested in a period. */
  figures(period: Period): Promise<readonly SmsFigures[]>
  /** The gateways whose last sends, so many of them or more, all failed. */
  suspects(failures: number): Promise<readonly number[]>
  /** How many messages nothing final is known of. */
  pending(): Promise<number>
  /** How many messages that were requested before that moment nothing final is known of, by gateway. */
  overdue(before: Timestamp): Promise<readonly { readonly gateway: number; readonly count: number }[]>
}
