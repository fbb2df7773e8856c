import { addSeconds, type Timestamp } from '../../dates.ts'
import type { Calls } from '../../ports/calls.ts'
import type { SmsReports } from '../../ports/messaging/sms-reports.ts'
import type { Clock } from '../../ports/system.ts'

/** What an operator looks at first. */
export interface Pulse {
  readonly at: Timestamp
  /** Calls that no rate matched, or whose cost by the matching one is too large. */
  readonly unrated: number
  /** Switch records that could not be used. */
  readonly quarantined: number
  /** Messages of the last 24 hours by the meaning of their status; `unknown` for a status without a class. */
  readonly messages: Readonly<Record<string, number>>
}

export interface OverviewPorts {
  readonly calls: Pick<Calls, 'unratedCount' | 'quarantineCount'>
  readonly smsReports: Pick<SmsReports, 'figures'>
  readonly clock: Clock
}

const DAY_SECONDS = 86_400
/** The figures are gathered at most once in that many seconds, however many clients watch. */
const FRESH_SECONDS = 4

/** Returns current figures, gathered at most every few seconds. */
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
