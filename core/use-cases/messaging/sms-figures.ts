import type { SmsFigures, SmsReports } from '../../ports/messaging/sms-reports.ts'
import type { Period } from '../../rating/period.ts'
import { smsGateways } from '../../resources/sms-gateways.ts'
import type { Lookup } from '../records/lookup.ts'

/** Figures of messages, and whether their gateway still exists. */
export interface GatewayFigures extends SmsFigures {
  readonly isGone: boolean
}

/** Counts the messages requested in a period by gateway, tenant and the meaning of their status. */
export async function smsFigures(
  { records, smsReports }: { readonly records: Pick<Lookup, 'find'>; readonly smsReports: Pick<SmsReports, 'figures'> },
  period: Period,
): Promise<readonly GatewayFigures[]> {
  const areGone = new Map<number, boolean>()
  const figures = []
  for (const each of await smsReports.figures(period)) {
    const gateway = each.sms_gateway_id
    const isGone = areGone.get(gateway) ?? (await records.find(smsGateways, gateway)) === null
    areGone.set(gateway, isGone)
    figures.push({ ...each, isGone })
  }
  return figures
}
