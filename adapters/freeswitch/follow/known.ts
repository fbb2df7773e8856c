import { createHash } from 'node:crypto'
import { decideRegistration, tenantRefusal } from '../../../core/switching/decide-registration.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { tiersOf } from '../lookups/callcenter.ts'
import { ringingQueues } from '../lookups/queues.ts'
import { queueName } from '../names.ts'

/** What FreeSWITCH keeps of a tenant once it knows it, as the directory had it at the last check. */
export interface KnownTenant {
  readonly slug: string
  readonly domain: string
  readonly isActive: boolean
  /** The phones that may register, by number; a changed text means that the phone must register again. */
  readonly phones: ReadonlyMap<string, string>
  /** The queues that take calls, by name. */
  readonly queues: ReadonlyMap<string, KnownQueue>
}

export interface KnownQueue {
  /** A changed text means that the queue must be reloaded. */
  readonly made: string
  /** The names of its agents. */
  readonly agents: ReadonlySet<string>
}

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64')

export function knownOf(directory: TenantDirectory): KnownTenant {
  const { slug, domain } = directory.tenant
  const isActive = tenantRefusal(directory.tenant) === null
  const phones = new Map<string, string>()
  if (isActive)
    for (const [number, { secret }] of directory.extensions)
      if (decideRegistration(directory, { domain, user: number, to: null }).refusal === null)
        phones.set(number, digest(secret))
  const queues = new Map(
    ringingQueues(directory).map((ringing): [string, KnownQueue] => {
      const tiers = tiersOf(ringing)
      const { strategy, timeout } = ringing.queue
      const made = digest([strategy, timeout, domain, tiers])
      return [queueName(directory.tenant, ringing.queue), { made, agents: new Set(tiers.map(({ agent }) => agent)) }]
    }),
  )
  return { slug, domain, isActive, phones, queues }
}
