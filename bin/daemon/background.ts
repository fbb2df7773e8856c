import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Follower } from '../../adapters/pbx/pbx.ts'
import { nameOf } from '../../config/feeds.ts'
import type { Settings } from '../../config/settings.ts'
import type { Calls } from '../../core/ports/calls.ts'
import type { Trunkline } from '../compose.ts'
import { emptiedFolder, type FollowedFeed, followFeed, retryChanged } from '../feeds.ts'
import type { Served } from '../serving.ts'
import { followLimits } from './follow-limits.ts'
import { holdSwitches, type SwitchState } from './hold-switches.ts'
import { type Roster, roster } from './roster.ts'
import { followSecurity } from './security-log.ts'
import { ownUpkeep, UPKEEP, upkeep } from './upkeep/upkeep.ts'

/** What the daemon does besides answering. */
export interface Background {
  /** The feeds that this daemon follows now. */
  readonly feeds: readonly Follower[]
  /** The switches whose connections this daemon holds now. */
  switches(): readonly SwitchState[]
  readonly duties: Pick<Roster, 'has' | 'all'>
  /** Resolves once every task has ended its current step. */
  stop(): Promise<void>
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
  const { calls } = trunkline.storage
  const duties = roster(trunkline.storage, log, stopping.signal)
  const feeds = holdFeeds(duties, feedsOf(settings, served), { calls, log })
  const switches = holdSwitches(duties, served, trunkline.storage, { log, signal: stopping.signal })
  const ofDaemon = [
    ...feeds.done,
    ...switches.done,
    ownUpkeep(trunkline, log, stopping.signal),
    duties.hold(UPKEEP, lost => upkeep(trunkline, settings, log, lost)),
    followSecurity(trunkline, log, securityFrom, stopping.signal),
    retryChanged(settings.feeds, calls, stopping.signal, log).catch(error =>
      log.error({ err: error }, 'the records in quarantine could not be retried'),
    ),
  ]
  // Without a switch, nothing obeys limits.
  if (served.length > 0)
    ofDaemon.push(
      duties.hold('limits', lost => followLimits(trunkline.limits, trunkline.storage.switchChanges(), log, lost)),
    )
  return {
    get feeds() {
      return feeds.followed()
    },
    switches: switches.states,
    duties,
    stop: async () => {
      stopping.abort()
      await Promise.all(ofDaemon)
    },
  }
}

/** A feed with the duty of following it. */
interface DutyFeed {
  readonly duty: string
  readonly feed: FollowedFeed
}

/** A folder that a switch fills is another one on each switch. */
const feedsOf = ({ feeds }: Settings, served: readonly Served[]): readonly DutyFeed[] => [
  ...feeds.map(feed => ({ duty: `feed ${nameOf(feed)}`, feed })),
  ...served.flatMap(({ folder, name }) =>
    folder === null ? [] : [{ duty: `feed ${folder} of ${name}`, feed: emptiedFolder(folder) }],
  ),
]

function holdFeeds(
  duties: Roster,
  feeds: readonly DutyFeed[],
  { calls, log }: { readonly calls: Calls; readonly log: Logger },
): { readonly done: readonly Promise<void>[]; followed(): readonly Follower[] } {
  const followed = new Map<DutyFeed, Follower>()
  const done = feeds.map(each =>
    duties.hold(each.duty, async lost => {
      const follower = followFeed(each.feed, calls, lost, log)
      followed.set(each, follower)
      await follower.done
      followed.delete(each)
    }),
  )
  return { done, followed: () => feeds.flatMap(each => followed.get(each) ?? []) }
}
