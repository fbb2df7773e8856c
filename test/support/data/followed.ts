import { follow } from '../../../adapters/pbx/follow.ts'
import type { SourceFormat } from '../../../core/calls/completed-call.ts'
import type { FeedRules } from '../../../core/calls/record-call.ts'
import type { Feed } from '../../../core/ports/calls.ts'
import { rules, type SwitchWorld, until } from './switch.ts'

export interface Followed {
  readonly troubles: unknown[]
  counts(): { stored: number; known: number; quarantined: number }
  lag(): number
  isFailing(): boolean
  stop(): Promise<void>
}

interface FollowedOptions extends Partial<FeedRules> {
  readonly format?: SourceFormat | 'auto'
  readonly removes?: boolean
}

/** Follows a path into the world's database, checking often. */
export function followed(
  { storage }: Pick<SwitchWorld, 'storage'>,
  path: string,
  { format = 'auto', removes = false, ...given }: FollowedOptions = {},
): Followed {
  const stopping = new AbortController()
  const troubles: unknown[] = []
  const feed: Feed = { name: path, rules: rules(given) }
  const { state, done } = follow(
    { feed, path, format, every: 0.01, removes, onTrouble: error => troubles.push(error) },
    storage.calls,
    stopping.signal,
  )
  return {
    troubles,
    counts: () => state().counts,
    lag: () => state().lag,
    isFailing: () => state().isFailing,
    stop: async () => {
      stopping.abort()
      await done
    },
  }
}

export const hasCalls = (world: SwitchWorld, count: number): Promise<void> =>
  until(`${count} calls are stored`, async () => (await world.calls()).length >= count)

/** Runs the test while the feed is followed. */
export const following = async (feed: Followed, test: () => Promise<void>): Promise<void> => {
  try {
    await test()
  } finally {
    await feed.stop()
  }
}
