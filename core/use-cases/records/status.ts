import type { Timestamp } from '../../dates.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Maintenance, Statistics } from '../../ports/system.ts'
import { type SmsHealth, type SmsHealthPorts, smsHealth } from '../messaging/sms-health.ts'

export interface StatusPorts extends SmsHealthPorts {
  readonly maintenance: Pick<Maintenance, 'statistics'>
  readonly calls: Pick<Calls, 'unratedCount' | 'quarantineCount'>
}

/** The state of the service, as its database shows it. */
export interface ServiceStatus {
  readonly database: Statistics
  /** The number of calls that no rate matched, or one by which the cost is too large. */
  readonly unrated: number
  /** The number of switches' records that could not be used. */
  readonly quarantined: number
  readonly sms: SmsHealth
}

export async function serviceStatus(ports: StatusPorts): Promise<ServiceStatus> {
  const { maintenance, calls } = ports
  return {
    unrated: await calls.unratedCount(),
    quarantined: await calls.quarantineCount(),
    sms: await smsHealth(ports),
    database: await maintenance.statistics(),
  }
}

/**
 * Returns whether a daemon serves this database, whatever its address, and whether it is the one whose last heartbeat
 * was at `beatenAt`; null if that is not known.
 */
export async function servedState(
  { maintenance }: { readonly maintenance: Pick<Maintenance, 'isServed' | 'lastBeat'> },
  beatenAt: Timestamp | undefined,
): Promise<{ readonly isServed: boolean; readonly isByThatOne: boolean | null }> {
  const isServed = await maintenance.isServed()
  const isByThatOne = beatenAt === undefined ? null : ((await maintenance.lastBeat()) ?? '') >= beatenAt
  return { isServed, isByThatOne }
}
