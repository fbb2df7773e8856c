import pLimit, { type LimitFunction } from 'p-limit'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../../core/errors.ts'
import { networkOf } from './address.ts'
import { fairQueue } from './fair-queue.ts'

const WINDOW_SECONDS = 15 * 60
const PER_EMAIL_AND_ADDRESS = 10
const PER_ADDRESS = 100
/** More would only wait for the hashing, which has its own queue behind this one. */
const AT_ONCE = 4
const MAX_WAITING = 1_000
const MAX_WAITING_BROWSERS = 200

export interface LoginAttempt {
  readonly email: string
  readonly address: string
  /** What tells the browser from others, where the account has logged in from it before. */
  readonly browser: string | null
}

export interface LoginThrottle {
  /**
   * Makes an attempt, unless too many like it failed. A right one clears what its e-mail had. Those of one address and
   * those on one account are made one after the other: so many at once can't all pass, and none is refused for one that
   * turns out right. A browser that the account is known in counts for itself, whatever others guess from its address,
   * and waits for nobody but its like. Throws `too_many_attempts`, `busy`, and what the attempt throws, of which
   * `invalid_credentials` counts.
   */
  attempt<T>(attempt: LoginAttempt, make: () => Promise<T>): Promise<T>
}

interface Counted {
  readonly limiter: RateLimiterMemory
  readonly key: string
  readonly limit: number
}

export function loginThrottle(): LoginThrottle {
  const duration = WINDOW_SECONDS
  const byPair = new RateLimiterMemory({ points: PER_EMAIL_AND_ADDRESS, duration })
  const byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration })
  const strangers = fairQueue({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING })
  const browsers = linesOf(MAX_WAITING_BROWSERS)

  const counted = async <T>(pair: Counted, others: readonly Counted[], make: () => Promise<T>): Promise<T> => {
    const all = [...others, pair]
    for (const { limiter, key, limit } of all) refuseFrom(limit, await limiter.get(key))
    try {
      const made = await make()
      await pair.limiter.delete(pair.key)
      return made
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_credentials')
        await Promise.all(all.map(({ limiter, key }) => limiter.penalty(key)))
      throw error
    }
  }
  return {
    attempt: ({ email, address, browser }, make) => {
      const account = email.toLowerCase()
      const pair = (from: string): Counted => ({
        limiter: byPair,
        key: `${account} ${from}`,
        limit: PER_EMAIL_AND_ADDRESS,
      })
      if (browser !== null) return browsers(browser, () => counted(pair(`browser ${browser}`), [], make))
      const network = networkOf(address)
      const fromThere = { limiter: byAddress, key: network, limit: PER_ADDRESS }
      return strangers.run({ account, address: network }, () => counted(pair(network), [fromThere], make))
    },
  }
}

/** Runs what has the same key one after the other. Throws `busy` when too many wait. */
function linesOf(maxWaiting: number) {
  const lines = new Map<string, LimitFunction>()
  return async <T>(key: string, act: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? pLimit(1)
    if (line.pendingCount >= maxWaiting)
      throw new AppError('busy', 'Too many logins at once; try again in a moment.', { retryAfter: 5 })
    lines.set(key, line)
    try {
      return await line(act)
    } finally {
      if (line.activeCount + line.pendingCount === 0) lines.delete(key)
    }
  }
}

function refuseFrom(limit: number, found: RateLimiterRes | null): void {
  if (found === null || found.consumedPoints < limit) return
  const retryAfter = Math.max(1, Math.ceil(found.msBeforeNext / 1000))
  throw new AppError('too_many_attempts', 'Too Many Attempts.', { retryAfter })
}
