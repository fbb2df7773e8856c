import { formatAmount } from '../../amounts.ts'
import { isJsonObject, parseJson } from '../../json.ts'
import type { Calls, UsageGroup, UsageLine } from '../../ports/calls.ts'
import type { Records } from '../../ports/records.ts'
import { daysOfMonth } from '../../rating/period.ts'
import { NO_USAGE, together, type Usage } from '../../rating/usage.ts'
import { tenants } from '../../resources/tenants.ts'

/** A tenant's calls of a month, in its own time zone. */
export interface UsageReport {
  readonly tenant: string
  readonly month: string
  readonly timezone: string
  readonly total: Usage
  /** Empty without grouping. */
  readonly lines: readonly UsageLine[]
}

export interface UsagePorts {
  readonly records: Pick<Records, 'find' | 'list'>
  readonly calls: Pick<Calls, 'usage'>
}

interface Reported {
  readonly id: number
  readonly slug: string
  readonly timezone: string
}

/**
 * Returns the report of one tenant, or of all (null) by slug. Throws `invalid` if it is not a month, and the signal's
 * reason once that aborts.
 */
export async function usageReports(
  { records, calls }: UsagePorts,
  { tenantId, month, by }: { tenantId: number | null; month: string; by: UsageGroup | null },
  signal?: AbortSignal,
): Promise<UsageReport[]> {
  const reports: UsageReport[] = []
  for (const { id, slug, timezone } of await tenantsMeant(records, tenantId)) {
    signal?.throwIfAborted()
    const lines = await calls.usage(id, daysOfMonth(month, timezone), by, signal)
    const total = lines.reduce(together, NO_USAGE)
    reports.push({ tenant: slug, month, timezone, total, lines: by === null ? [] : lines })
  }
  return reports
}

async function tenantsMeant(records: UsagePorts['records'], tenantId: number | null): Promise<readonly Reported[]> {
  if (tenantId !== null) {
    const tenant = await records.find(tenants, tenantId)
    return tenant ? [{ id: tenantId, slug: String(tenant['slug']), timezone: String(tenant['timezone']) }] : []
  }
  const all: Reported[] = []
  for await (const { json } of records.list(tenants, { view: 'plain' })) {
    const page = parseJson(`[${json}]`)
    for (const row of Array.isArray(page) ? page.filter(isJsonObject) : [])
      all.push({ id: Number(row['id']), slug: String(row['slug']), timezone: String(row['timezone']) })
  }
  return all.sort((one, other) => (one.slug < other.slug ? -1 : 1))
}

/**
 * Minutes and averages to one decimal, from the exact seconds; amounts as text. ASR: answered calls in per cent; ACD:
 * average seconds of an answered call.
 */
export function figures({ calls, answered, seconds, bill_seconds, cost, unrated }: Usage) {
  const ratio = (part: number, whole: number, scale: number): number =>
    whole === 0 ? 0 : Math.round((part / whole) * scale * 10) / 10
  return {
    calls,
    answered,
    seconds,
    bill_seconds,
    minutes: ratio(seconds, 60, 1),
    billed_minutes: ratio(bill_seconds, 60, 1),
    cost: formatAmount(cost),
    answer_seizure_ratio: ratio(answered, calls, 100),
    average_call_duration: ratio(seconds, answered, 1),
    unrated,
  }
}

/** Returns a report as JSON. */
export function reportShown({ total, lines, ...head }: UsageReport, by: UsageGroup | null) {
  if (by === null) return { ...head, total: figures(total) }
  return { ...head, total: figures(total), lines: lines.map(line => ({ [by]: line.group, ...figures(line) })) }
}

/** Returns the total of several reports. */
export const totalOf = (reports: readonly UsageReport[]): Usage =>
  reports.map(({ total }) => total).reduce(together, NO_USAGE)
