import { addSeconds } from '../../dates.ts'
import type { SmsReports } from '../../ports/messaging/sms-reports.ts'
import type { Clock } from '../../ports/system.ts'
import { OVERDUE_AFTER, SUSPECT_AFTER } from '../../sms/health.ts'
import type { PrefixRouting } from '../records/prefix-routing.ts'

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

export interface SmsHealthPorts {
  readonly smsReports: Pick<SmsReports, 'suspects' | 'overdue' | 'pending'>
  readonly smsRoutes: Pick<PrefixRouting, 'list'>
  readonly clock: Pick<Clock, 'now'>
}

/** The state of messages and their gateways. */
export interface SmsHealth {
  /** Messages without a final status, and those among them that take too long. */
  readonly pending: number
  readonly overdue: number
  /** Ids of gateways. */
  readonly suspects: readonly number[]
  readonly routes: number
}

export async function smsHealth(ports: SmsHealthPorts): Promise<SmsHealth> {
  const { smsReports, smsRoutes } = ports
  const overdue = await overdueMessages(ports)
  return {
    pending: await smsReports.pending(),
    overdue: overdue.reduce((sum, { count }) => sum + count, 0),
    suspects: await suspectGateways(ports),
    routes: (await smsRoutes.list()).length,
  }
}
