import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Follower } from '../../adapters/pbx/follow.ts'
import type { Settings } from '../../config/settings.ts'
import type { Trunkline } from '../compose.ts'
import { retryChanged, startFeeds } from '../feeds.ts'
import { followSecurity } from './security-log.ts'
import { startUpkeep } from './upkeep.ts'

/** What the daemon does beside answering. */
export interface Background {
  readonly feeds: readonly Follower[]
  /** Resolves once the step that each is in has ended. */
  stop(): Promise<void>
}

export function startBackground(
  trunkline: Trunkline,
  settings: Settings,
  log: Logger,
  securityFrom: number,
): Background {
  const stopping = new AbortController()
  // As many wait for it as there are feeds.
  setMaxListeners(0, stopping.signal)
  const upkeep = startUpkeep(trunkline, settings, log, stopping.signal)
  const security = followSecurity(trunkline, log, securityFrom, stopping.signal)
  const { calls } = trunkline.storage
  const feeds = startFeeds(settings.feeds, calls, stopping.signal, log)
  const retrying = retryChanged(settings.feeds, calls, stopping.signal, log).catch(error =>
    log.error({ err: error }, 'the records in quarantine could not be tried again'),
  )
  return {
    feeds,
    stop: async () => {
      stopping.abort()
      await Promise.all([upkeep, security, retrying, ...feeds.map(({ done }) => done)])
    },
  }
}
