import { describe, test } from 'node:test'
import type { Accounts, LoginCounts, Sessions } from '../../core/ports/accounts.ts'
import type { Audit } from '../../core/ports/audit.ts'
import type { Bulk } from '../../core/ports/bulk.ts'
import type { Calls } from '../../core/ports/calls.ts'
import type { Decks } from '../../core/ports/decks.ts'
import type { JobStore } from '../../core/ports/jobs.ts'
import type { Messages } from '../../core/ports/messaging/messages.ts'
import type { SmsReports } from '../../core/ports/messaging/sms-reports.ts'
import type { Notices } from '../../core/ports/notices.ts'
import type { PrefixRoutes } from '../../core/ports/prefix-routes.ts'
import type { Records } from '../../core/ports/records.ts'
import type { ServerKeys } from '../../core/ports/server-keys.ts'
import type { LimitUsage, RatedPrefixes, SwitchChanges, SwitchDirectory } from '../../core/ports/switching.ts'
import type { Maintenance } from '../../core/ports/system.ts'
import type { Duties, Gauges, Heartbeat, Retention, SearchIndexing } from '../../core/ports/upkeep.ts'
import { type ManualClock, manualClock } from '../support/clock.ts'

/** The ports of core that a storage can serve. */
export interface Ports {
  readonly records: Records
  readonly messages: Messages
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly loginCounts: LoginCounts
  readonly audit: Audit
  readonly notices: Notices
  readonly serverKeys: ServerKeys
  readonly bulk: Bulk
  readonly calls: Calls
  readonly limitUsage: LimitUsage
  readonly ratedPrefixes: RatedPrefixes
  readonly switchChanges: () => SwitchChanges
  readonly switchDirectory: () => SwitchDirectory
  readonly decks: Decks
  readonly retention: Retention
  readonly maintenance: Maintenance
  readonly heartbeat: Heartbeat
  readonly indexing: SearchIndexing
  readonly gauges: Gauges
  readonly duties: Duties
  readonly jobs: JobStore
  readonly smsRoutes: PrefixRoutes
  readonly trunkRoutes: PrefixRoutes
  readonly smsReports: SmsReports
}

export type Port = keyof Ports

/** A storage to test against the contracts. */
export interface Adapter {
  readonly name: string
  /** The contracts of all other ports are skipped, which the run reports. */
  readonly serves: readonly Port[]
  /** Opens an empty storage with this clock. */
  open(clock: ManualClock): Opened | Promise<Opened>
  /** Opens a copy made by `Maintenance.backup`; for storages that serve that port. */
  openBackup?(path: string, clock: ManualClock): Opened | Promise<Opened>
}

type Opened = Partial<Ports> & { close(): Promise<void> }

/** What a behaviour is tested on: the ports that its contract names, over one empty storage. */
export type Given<P extends Port> = Pick<Ports, P> & {
  readonly clock: ManualClock
  /** Runs a check on the copy at that path. */
  onBackup(path: string, check: (ports: Pick<Ports, P>) => Promise<void>): Promise<void>
}

/** The behaviours required of every storage with these ports. */
export interface Contract<P extends Port = Port> {
  readonly needs: readonly P[]
  /** Adds a behaviour; the check fails if a storage lacks it. */
  behaviour(sentence: string, check: (given: Given<P>) => Promise<void>): void
  /** Tests every behaviour on a fresh storage. */
  prove(adapter: Adapter): void
}

/** `opensCopies`: its behaviours open copies, so a storage without `openBackup` skips them. */
export function contract<const P extends Port>(
  name: string,
  needs: readonly P[],
  { opensCopies = false } = {},
): Contract<P> {
  const behaviours: { readonly sentence: string; readonly check: (given: Given<P>) => Promise<void> }[] = []
  return {
    needs,
    behaviour: (sentence, check) => {
      behaviours.push({ sentence, check })
    },
    prove: adapter => {
      const lacked = needs.filter(port => !adapter.serves.includes(port))
      const missing = [...lacked, ...(opensCopies && !adapter.openBackup ? ['copies'] : [])]
      const skip = missing.length > 0 && `${adapter.name} does not serve ${missing.join(' and ')}`
      describe(name, { skip }, () => {
        for (const { sentence, check } of behaviours) test(sentence, () => checkOn(adapter, needs, check))
      })
    },
  }
}

async function checkOn<P extends Port>(
  adapter: Adapter,
  needs: readonly P[],
  check: (given: Given<P>) => Promise<void>,
): Promise<void> {
  const clock = manualClock()
  const closing = async (storage: Opened | undefined, use: (ports: Pick<Ports, P>) => Promise<void>): Promise<void> => {
    try {
      if (!storage || !hasPorts(storage, needs)) throw new Error(`${adapter.name} lacks a port that it says it serves.`)
      await use(storage)
    } finally {
      await storage?.close()
    }
  }
  const onBackup: Given<P>['onBackup'] = async (path, use) => closing(await adapter.openBackup?.(path, clock), use)
  await closing(await adapter.open(clock), storage => check({ ...storage, clock, onBackup }))
}

const hasPorts = <P extends Port>(storage: Partial<Ports>, needs: readonly P[]): storage is Pick<Ports, P> =>
  needs.every(port => storage[port] !== undefined)

/** How many things are done at once: a storage may refuse those that wait longer than it allows. */
const AT_ONCE = 25

/** Does something that many times, some of them at once. */
export async function manyTimes(times: number, act: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < times; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, times - from) }, (_, n) => act(from + n)))
}
