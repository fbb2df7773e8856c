import { addSeconds, type Timestamp } from '../../dates.ts'
import type { Calls } from '../../ports/calls.ts'
import type { SmsReports } from '../../ports/messaging/sms-reports.ts'
import type { Records } from '../../ports/records.ts'
import type { Clock } from '../../ports/system.ts'
import type { Surroundings } from '../../ports/upkeep.ts'
import { cdrs } from '../../resources/cdrs.ts'
import type { Jobs } from '../jobs/jobs.ts'

/** What an operator looks at first, limited to the viewer's tenant if there is one. */
export interface Pulse {
  readonly at: Timestamp
  /** Calls that began within the last hour, up to MOST_COUNTED. */
  readonly calls: number
  /** Calls that no rate matched, or one by which the cost is too large. */
  readonly unrated: number
  /** Messages of the last 24 hours by the meaning of their status; `other` for a status without a class. */
  readonly messages: Readonly<Record<string, number>>
  /** Imports and exports that wait or run, the latest first, with the rows read or written so far. */
  readonly jobs: readonly { readonly id: number; readonly rows: number }[]
  /** Figures of the whole service; null for accounts of one tenant. */
  readonly service: ServicePulse | null
}

export interface ServicePulse {
  /** Records of switches that could not be used. */
  readonly quarantined: number
  /** The followed feeds, with the bytes of each that are not stored yet. */
  readonly feeds: readonly { readonly name: string; readonly lag: number }[]
  /** The number of registered telephones; null without a switch, or if none can be reached. */
  readonly phones: number | null
  /** When the daemon's newest backup was begun; null if there is none. */
  readonly backup: Timestamp | null
}

export interface OverviewPorts {
  readonly records: Pick<Records, 'countUpTo'>
  readonly calls: Pick<Calls, 'unratedCount' | 'quarantineCount'>
  readonly smsReports: Pick<SmsReports, 'figures'>
  readonly jobs: Pick<Jobs, 'open'>
  readonly clock: Clock
  readonly surroundings: Surroundings
  /** The tenant to limit the figures to. */
  readonly tenantId?: number
}

export type Overview = () => Promise<Pulse>

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 86_400
/**
 * The figures are gathered at most once in that many seconds, however many clients watch; less often for one tenant,
 * whose calls have to be found.
 */
const FRESH_SECONDS = 4
const FRESH_SECONDS_OF_ONE = 20
/** Counting stops here. */
const MOST_COUNTED = 10_001

/** The figures of the moment, gathered at most every few seconds; those of jobs are always current. */
export function overview(ports: OverviewPorts): Overview {
  const { clock, tenantId } = ports
  const fresh = tenantId === undefined ? FRESH_SECONDS : FRESH_SECONDS_OF_ONE
  let latest: { readonly since: number; readonly pulse: Promise<Gathered> } | null = null
  return async () => {
    const now = clock.monotonic()
    if (!latest || now - latest.since >= fresh) {
      const pulse = gather(ports)
      latest = { since: now, pulse }
      pulse.catch(() => {
        latest = null
      })
    }
    return { ...(await latest.pulse), jobs: await openJobs(ports) }
  }
}

type Gathered = Omit<Pulse, 'jobs'>

async function openJobs({ jobs, tenantId }: OverviewPorts): Promise<Pulse['jobs']> {
  const open = await jobs.open({ tenantId: tenantId ?? null })
  return open.map(({ id, progress }) => ({ id, rows: progress.rows }))
}

async function gather(ports: OverviewPorts): Promise<Gathered> {
  const { records, calls, clock, tenantId } = ports
  const at = clock.now()
  const within = tenantId === undefined ? {} : { tenantId }
  const period = { from: addSeconds(at, -HOUR_SECONDS), to: at }
  return {
    at,
    calls: await records.countUpTo(cdrs, { ...within, period }, MOST_COUNTED),
    unrated:
      tenantId === undefined
        ? await calls.unratedCount()
        : await records.countUpTo(cdrs, { tenantId, unrated: true }, MOST_COUNTED),
    messages: await messagesUntil(at, ports),
    service: tenantId === undefined ? await ofService(ports) : null,
  }
}

async function messagesUntil(
  at: Timestamp,
  { smsReports, tenantId }: OverviewPorts,
): Promise<Readonly<Record<string, number>>> {
  const messages: Record<string, number> = {}
  for (const { tenant_id, status_class, messages: count } of await smsReports.figures({
    from: addSeconds(at, -DAY_SECONDS),
    to: at,
  })) {
    const status = status_class ?? 'other'
    if (tenantId === undefined || tenant_id === tenantId) messages[status] = (messages[status] ?? 0) + count
  }
  return messages
}

const ofService = async ({ calls, surroundings }: OverviewPorts): Promise<ServicePulse> => ({
  quarantined: await calls.quarantineCount(),
  feeds: surroundings.feeds(),
  phones: await surroundings.phones(),
  backup: surroundings.newestBackup(),
})
