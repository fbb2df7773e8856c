import { formatAmount } from '../../amounts.ts'
import { addSeconds, type Timestamp } from '../../dates.ts'
import { diallingOf } from '../../dialling/settings.ts'
import { objects, parseJson } from '../../json.ts'
import type { Audit } from '../../ports/audit.ts'
import type { Notices } from '../../ports/notices.ts'
import type { Records } from '../../ports/records.ts'
import type { Changed, LimitUsage, UsedBy } from '../../ports/switching.ts'
import type { Clock } from '../../ports/system.ts'
import { extensions } from '../../resources/extensions.ts'
import type { Row } from '../../resources/resource.ts'
import { tenants } from '../../resources/tenants.ts'
import type { TenantDirectory } from '../../switching/directory.ts'
import { limitsOf } from '../../switching/limits/limit-settings.ts'
import {
  isReached,
  type LimitName,
  type Limits,
  type LimitUse,
  limitsInUse,
  type Used,
} from '../../switching/limits/limits.ts'
import { dayAt } from '../../switching/limits/usage-tally.ts'

export interface LimitWatchParts {
  readonly records: Pick<Records, 'find' | 'list'>
  readonly usage: Pick<LimitUsage, 'of'>
  readonly notices: Notices
  readonly audit: Pick<Audit, 'note'>
  readonly clock: Pick<Clock, 'now'>
  /** Called once for each limit and period. */
  onReached(name: LimitName): void
}

/** Who owns the limit. */
export interface Limited {
  readonly tenant: { readonly id: number; readonly slug: string; readonly timezone: string }
  /** null if it is the tenant's. */
  readonly extension: { readonly id: number; readonly number: string } | null
}

/** Returns whose limit it is: the tenant's, or that of the extension with the number `of`. */
export function limitedIn({ tenant, extensions }: TenantDirectory, of: string | null): Limited {
  const { id, slug, timezone } = tenant
  const extension = of === null ? undefined : extensions.get(of)
  return {
    tenant: { id, slug, timezone },
    extension: extension ? { id: extension.id, number: extension.number } : null,
  }
}

export interface LimitWatch {
  /** Checks the limits of tenants whose calls or settings were stored. */
  look(changed: Changed): Promise<void>
  /** Reports a reached limit to operators, once in each hour or day: a notice, and an entry of the audit trail. */
  reached(limited: Limited, use: LimitUse): Promise<void>
}

export const LIMIT_REACHED = 'limit_reached'
const HOUR = 3_600
/** Seconds that a notice is shown. */
const SHOWN_FOR = 86_400

const NONE_UP = { calls: 0, callsOut: 0 }

/** Returns the limits reached by stored calls; only the switch knows the calls in progress. */
const reachedBy = (limits: Limits, used: Used): LimitUse[] =>
  limitsInUse(limits, { used, live: NONE_UP, isOut: true }).filter(
    use => use.name !== 'concurrent_calls' && isReached(use),
  )

const hasLimits = ({ most }: Limits): boolean => Object.keys(most).length > 0

export function limitWatch(parts: LimitWatchParts): LimitWatch {
  const { records, usage, notices, audit, clock, onReached } = parts
  const noted = notedIn(notices)

  const reached: LimitWatch['reached'] = async (limited, use) => {
    const now = clock.now()
    const subject = subjectOf(limited, use)
    const all = await noted()
    const before = all.get(subject)
    if (before !== undefined && isSamePeriod(use.name, before, now, limited.tenant.timezone)) return
    all.set(subject, now)
    onReached(use.name)
    const { tenant, extension } = limited
    const resource = extension ? extensions.name : tenants.name
    const amounts = { used: shown(use.name, use.used), limit: shown(use.name, use.limit) }
    await notices.raise({ code: LIMIT_REACHED, subject, detail: sentence(limited, use) })
    await audit.note('limit-reached', resource, extension?.id ?? tenant.id, { name: use.name, ...amounts })
  }
  const lookAt = async (id: number): Promise<void> => {
    const row = await records.find(tenants, id)
    if (!row) return
    const settings = typeof row['settings'] === 'string' ? parseJson(row['settings']) : null
    const limits = limitsOf(settings, diallingOf(settings))
    const ofExtensions = [limits.extension, ...limits.extensions.values()].some(hasLimits)
    if (!hasLimits(limits.tenant) && !ofExtensions) return
    const tenant = { id, slug: String(row['slug']), timezone: String(row['timezone']) }
    const used = await usage.of(tenant)
    for (const use of reachedBy(limits.tenant, used.tenant)) await reached({ tenant, extension: null }, use)
    for (const extension of ofExtensions ? await callersIn(records, used) : []) {
      const own = limits.extensions.get(extension.number) ?? limits.extension
      for (const use of reachedBy(own, used.extension(extension.id))) await reached({ tenant, extension }, use)
    }
  }
  return {
    reached,
    look: async changed => {
      for (const id of changed === 'all' ? await allIds(records) : changed) await lookAt(id)
      await forgetOld(notices, addSeconds(clock.now(), -SHOWN_FOR))
    },
  }
}

/** When each limit was last noted; read on first use, so that a restart notes nothing twice. */
function notedIn(notices: Notices): () => Promise<Map<string, Timestamp>> {
  let noted: Promise<Map<string, Timestamp>> | null = null
  const read = async (): Promise<Map<string, Timestamp>> => {
    const all = (await notices.list()).filter(({ code }) => code === LIMIT_REACHED)
    return new Map(all.map(({ subject, lastAt }) => [subject, lastAt]))
  }
  return () => {
    noted ??= read()
    return noted
  }
}

async function forgetOld(notices: Notices, before: Timestamp): Promise<void> {
  for (const { code, subject, lastAt } of await notices.list())
    if (code === LIMIT_REACHED && lastAt < before) await notices.clear(code, subject)
}

async function allIds(records: LimitWatchParts['records']): Promise<number[]> {
  const ids: number[] = []
  for await (const { json } of records.list(tenants, { view: 'plain' })) {
    for (const { id } of objects(`[${json}]`)) ids.push(Number(id))
  }
  return ids
}

/** Returns the extensions that have made outgoing calls. */
async function callersIn({ find }: LimitWatchParts['records'], used: UsedBy) {
  const rows: (Row | null)[] = []
  for (const id of used.extensions()) rows.push(await find(extensions, id))
  return rows.flatMap(row => (row ? { id: Number(row['id']), number: String(row['extension_number']) } : []))
}

const nameOf = ({ tenant, extension }: Limited): string =>
  extension ? `${tenant.slug}/${extension.number}` : tenant.slug

const subjectOf = (limited: Limited, { name }: LimitUse): string => `${name} ${nameOf(limited)}`

const shown = (name: LimitName, value: number): string =>
  name.startsWith('cost_') ? formatAmount(value) : String(value)

const sentence = (limited: Limited, { name, used, limit }: LimitUse): string =>
  `${limited.extension ? 'extension' : 'tenant'} ${nameOf(limited)} has reached its ${name} of ${shown(name, limit)} with ${shown(name, used)}`

function isSamePeriod(name: LimitName, before: Timestamp, now: Timestamp, timezone: string): boolean {
  if (name.endsWith('_per_day')) return dayAt(timezone, now).holds(before)
  return before > addSeconds(now, -HOUR)
}
