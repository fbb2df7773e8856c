import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Follower } from '../../adapters/pbx/pbx.ts'
import type { Settings } from '../../config/settings.ts'
import type { FollowerState, SwitchFollower } from '../../core/ports/switching.ts'
import type { Trunkline } from '../compose.ts'
import { emptiedFolder, retryChanged, startFeeds } from '../feeds.ts'
import type { Served } from '../serving.ts'
import { followLimits } from './follow-limits.ts'
import { followSwitches } from './follow-switches.ts'
import { followSecurity } from './security-log.ts'
import { startUpkeep } from './upkeep.ts'

/** What the daemon does besides answering. */
export interface Background {
  readonly feeds: readonly Follower[]
  switches(): readonly SwitchState[]
  /** Resolves once every task has ended its current step. */
  stop(): Promise<void>
}

export interface SwitchState extends FollowerState {
  readonly kind: SwitchFollower['kind']
  /** Unix time in seconds; null until the switch has agreed with the database for the first time. */
  readonly reconciledAt: number | null
}

/** What the daemon works for in the background. */
export interface Foreground {
  readonly trunkline: Trunkline
  /** The last entry of the audit trail before this start. */
  readonly securityFrom: number
  readonly served: readonly Served[]
}

export function startBackground(
  { trunkline, securityFrom, served }: Foreground,
  settings: Settings,
  log: Logger,
): Background {
  const stopping = new AbortController()
  // One listener for each feed.
  setMaxListeners(0, stopping.signal)
  const upkeep = startUpkeep(trunkline, settings, log, stopping.signal)
  const security = followSecurity(trunkline, log, securityFrom, stopping.signal)
  const { calls } = trunkline.storage
  const folders = served.flatMap(({ folder }) => (folder === null ? [] : [emptiedFolder(folder)]))
  const feeds = startFeeds([...settings.feeds, ...folders], calls, stopping.signal, log)
  const followers = served.map(({ follower }) => follower)
  const reconciled = new Map<SwitchFollower['kind'], number>()
  const changes = trunkline.storage.switchChanges()
  const switches = followSwitches(followers, changes, log, stopping.signal, kind =>
    reconciled.set(kind, Date.now() / 1000),
  )
  // Without a switch, nothing obeys limits.
  const limits =
    served.length === 0 ? null : followLimits(trunkline.limits, trunkline.storage.switchChanges(), log, stopping.signal)
  const retrying = retryChanged(settings.feeds, calls, stopping.signal, log).catch(error =>
    log.error({ err: error }, 'the records in quarantine could not be retried'),
  )
  return {
    feeds,
    switches: () =>
      followers.map(each => ({ ...each.state(), kind: each.kind, reconciledAt: reconciled.get(each.kind) ?? null })),
    stop: async () => {
      stopping.abort()
      await Promise.all([upkeep, security, retrying, switches, limits, ...feeds.map(({ done }) => done)])
    },
  }
}
