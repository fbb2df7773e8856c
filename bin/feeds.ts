import type { Logger } from 'pino'
import { type Follower, follow } from '../adapters/pbx/follow.ts'
import type { FeedSetting } from '../config/feeds.ts'
import type { Calls } from '../core/ports/calls.ts'
import type { FeedRules } from '../core/rating/record-call.ts'

const EVERY_SECONDS = 1

export const rulesOf = (setting: Partial<FeedSetting>): FeedRules => ({
  timezone: setting.timezone ?? 'UTC',
  contexts: setting.contexts ?? {},
  tenant: setting.tenant ?? null,
  ...(setting.switch === undefined ? {} : { switchName: setting.switch }),
})

/** Records are tried again by the settings that their feed has now: what they had then may be what was wrong. */
export const withPresentRules = (calls: Calls, feeds: readonly FeedSetting[]): Calls => ({
  ...calls,
  quarantine: async function* () {
    for await (const quarantined of calls.quarantine()) {
      const setting = feeds.find(({ path }) => path === quarantined.feed)
      yield setting ? { ...quarantined, rules: rulesOf(setting) } : quarantined
    }
  },
})

/** Follows the feeds of the settings until the signal. */
export const startFeeds = (feeds: readonly FeedSetting[], calls: Calls, signal: AbortSignal, log: Logger): Follower[] =>
  feeds.map(setting => {
    const { path, format, every = EVERY_SECONDS } = setting
    const onTrouble = (err: unknown): void => log.error({ err, feed: path }, 'a feed is held up')
    const feed = { name: path, rules: rulesOf(setting) }
    return follow({ feed, path, format, every, onTrouble }, tellingOfQuarantine(calls, log), signal)
  })

/** What waits in quarantine is not billed until somebody acts. */
const tellingOfQuarantine = (calls: Calls, log: Logger): Calls => ({
  ...calls,
  store: async (feed, records, place) => {
    const counts = await calls.store(feed, records, place)
    const { quarantined } = counts
    if (quarantined > 0) log.warn({ feed: feed.name, quarantined }, 'see: trunkline cdr quarantine list')
    return counts
  },
})
