import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { type Follower, pbx } from '../adapters/pbx/pbx.ts'
import { type FeedSetting, nameOf } from '../config/feeds.ts'
import type { FeedRules } from '../core/calls/record-call.ts'
import type { Calls, Quarantined, Retry } from '../core/ports/calls.ts'

const EVERY_SECONDS = 1

export const rulesOf = (setting: Partial<FeedSetting>): FeedRules => ({
  timezone: setting.timezone ?? 'UTC',
  contexts: setting.contexts ?? {},
  tenant: setting.tenant ?? null,
  ...(setting.switch === undefined ? {} : { switchName: setting.switch }),
})

/** Retries records by their feed's present settings: the former ones may have been wrong. */
export const withPresentRules = (calls: Calls, feeds: readonly FeedSetting[]): Calls => ({
  ...calls,
  quarantine: async function* () {
    for await (const quarantined of calls.quarantine()) {
      const setting = feeds.find(feed => nameOf(feed) === quarantined.feed)
      yield setting ? { ...quarantined, ...presentOf(setting, quarantined) } : quarantined
    }
  },
})

const presentOf = (
  setting: FeedSetting,
  { format, record }: Pick<Quarantined, 'format' | 'record'>,
): Pick<Quarantined, 'format' | 'rules'> => ({
  format: setting.format === 'auto' ? (pbx.detectFormat(record) ?? format) : setting.format,
  rules: rulesOf(setting),
})

/** The number of records to check, or retry in one transaction, before other work gets its turn. */
const AT_ONCE = 200

/**
 * Retries quarantined records of feeds whose settings, format or rules have changed since: correcting the settings is
 * all that an operator has to do.
 */
export async function retryChanged(
  feeds: readonly FeedSetting[],
  calls: Calls,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  let waiting: Retry[] = []
  let [seen, tried, replayed] = [0, 0, 0]
  const tryAll = async (): Promise<void> => {
    tried += waiting.length
    replayed += await calls.replay(waiting)
    waiting = []
  }
  for await (const quarantined of feeds.length === 0 ? [] : calls.quarantine()) {
    const retry = retryOf(feeds, quarantined)
    if (retry) waiting.push(retry)
    if (waiting.length === AT_ONCE) await tryAll()
    if (++seen % AT_ONCE === 0) await nextTurn()
    if (signal.aborted) return
  }
  await tryAll()
  if (tried > 0)
    log.info(
      { replayed, left: tried - replayed },
      'the settings of feeds have changed: their records in quarantine were retried',
    )
}

function retryOf(feeds: readonly FeedSetting[], quarantined: Quarantined): Retry | null {
  const setting = feeds.find(feed => nameOf(feed) === quarantined.feed)
  if (!setting) return null
  const { format, rules } = presentOf(setting, quarantined)
  if (format === quarantined.format && isDeepStrictEqual(rules, quarantined.rules)) return null
  return { quarantined: { ...quarantined, rules }, record: pbx.readRecord(format, quarantined.record) }
}

/** Returns the feed for a folder where a switch leaves records for us alone. */
export const emptiedFolder = (path: string): FollowedFeed => ({
  ...{ path, format: 'freeswitch-json', every: 0.5, removes: true },
})

export type FollowedFeed = FeedSetting & { readonly removes?: boolean }

/** Follows a feed until the signal aborts. */
export function followFeed(setting: FollowedFeed, calls: Calls, signal: AbortSignal, log: Logger): Follower {
  const { path, format, every = EVERY_SECONDS, removes = false } = setting
  const name = nameOf(setting)
  const onTrouble = (err: unknown): void => log.error({ err, feed: name }, 'a feed is held up')
  const feed = { name, rules: rulesOf(setting) }
  return pbx.follow({ feed, path, format, every, removes, onTrouble }, tellingOfQuarantine(calls, log), signal)
}

/** Logs quarantined records: they are not billed until somebody acts. */
const tellingOfQuarantine = (calls: Calls, log: Logger): Calls => ({
  ...calls,
  store: async (feed, records, place) => {
    const counts = await calls.store(feed, records, place)
    const { quarantined } = counts
    if (quarantined > 0) log.warn({ feed: feed.name, quarantined }, 'see: trunkline cdr quarantine list')
    return counts
  },
})
