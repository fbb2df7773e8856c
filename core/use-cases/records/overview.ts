import { addSeconds, type Timestamp } from '../../dates.ts'
import type { Calls } from '../../ports/calls.ts'
import type { SmsReports } from '../../ports/messaging/sms-reports.ts'
import type { Clock } from '../../ports/system.ts'

/** What somebody who watches the service looks at first. */
export interface Pulse {
  readonly at: Timestamp
  /** Calls that no rate matched, or one by which the cost is too large. */
  readonly unrated: number
  /** Records of switches that could not be used. */
  readonly quarantined: number
  /** Messages of the last 24 hours, by what their status means; `unknown` for a status that is in no class. */
  readonly messages: Readonly<Record<string, number>>
}

export interface OverviewPorts {
  readonly calls: Pick<Calls, 'unratedCount' | 'quarantineCount'>
  readonly smsReports: Pick<SmsReports, 'figures'>
  readonly clock: Clock
}

const DAY_SECONDS = 86_400
/** However many watch, the figures are gathered once in so many seconds. */
const FRESH_SECONDS = 4

/** The figures of the moment, gathered at most every few seconds. */
export function overview({ calls, smsReports, clock }: OverviewPorts): () => Promise<Pulse> {
  const gather = async (): Promise<Pulse> => {
    const at = clock.now()
    const messages: Record<string, number> = {}
    for (const { status_class, messages: count } of await smsReports.figures({
      from: addSeconds(at, -DAY_SECONDS),
      to: at,
    }))
      messages[status_class ?? 'unknown'] = (messages[status_class ?? 'unknown'] ?? 0) + count
    return { at, unrated: await calls.unratedCount(), quarantined: await calls.quarantineCount(), messages }
  }
  let latest: { readonly since: number; readonly pulse: Promise<Pulse> } | null = null
  return () => {
    const now = clock.monotonic()
    if (!latest || now - latest.since >= FRESH_SECONDS) {
      const pulse = gather()
      latest = { since: now, pulse }
      pulse.catch(() => {
        latest = null
      })
    }
    return latest.pulse
  }
}
