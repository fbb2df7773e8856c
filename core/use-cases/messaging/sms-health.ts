import { addSeconds } from '../../dates.ts'
import type { SmsReports } from '../../ports/messaging/sms-reports.ts'
import type { Clock } from '../../ports/system.ts'
import { OVERDUE_AFTER, SUSPECT_AFTER } from '../../sms/health.ts'

/** Returns the ids of the gateways whose last sends all failed. */
export const suspectGateways = ({
  smsReports,
}: {
  readonly smsReports: Pick<SmsReports, 'suspects'>
}): ReturnType<SmsReports['suspects']> => smsReports.suspects(SUSPECT_AFTER)

/** Counts, by gateway, the messages that have had no final status for too long. */
export const overdueMessages = ({
  smsReports,
  clock,
}: {
  readonly smsReports: Pick<SmsReports, 'overdue'>
  readonly clock: Pick<Clock, 'now'>
}): ReturnType<SmsReports['overdue']> => smsReports.overdue(addSeconds(clock.now(), -OVERDUE_AFTER))
