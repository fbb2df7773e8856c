import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Follower } from '../adapters/pbx/follow.ts'
import type { Settings } from '../config/settings.ts'
import type { Trunkline } from './compose.ts'
import { startFeeds } from './feeds.ts'
import { startUpkeep } from './upkeep.ts'

/** What the daemon does beside answering. */
export interface Background {
  readonly feeds: readonly Follower[]
  /** Resolves once the step that each is in has ended. */
  stop(): Promise<void>
}

export function startBackground(trunkline: Trunkline, settings: Settings, log: Logger): Background {
  const stopping = new AbortController()
  // As many wait for it as there are feeds.
  setMaxListeners(0, stopping.signal)
  const upkeep = startUpkeep(trunkline, settings, log, stopping.signal)
  const feeds = startFeeds(settings.feeds, trunkline.storage.calls, stopping.signal, log)
  return {
    feeds,
    stop: async () => {
      stopping.abort()
      await Promise.all([upkeep, ...feeds.map(({ done }) => done)])
    },
  }
}
