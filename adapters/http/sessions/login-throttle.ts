import pLimit, { type LimitFunction } from 'p-limit'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../../../core/errors.ts'
import { networkOf } from '../clients/address.ts'
import { fairQueue } from '../clients/fair-queue.ts'

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
  /** What distinguishes the browser, if the account has logged in from it before; else null. */
  readonly browser: string | null
}

export interface LoginThrottle {
  /**
   * Makes an attempt, unless too many like it have failed; success resets the count of its e-mail. Attempts from one
   * address, and those on one account, run one after the other: simultaneous guesses cannot all pass, and nobody is
   * refused because of an attempt that turns out right. A browser that the account is known in counts separately,
   * whatever others guess from its address, and waits only for its own attempts. Throws `too_many_attempts`, `busy`,
   * and what the attempt throws, of which `invalid_credentials` counts.
   */
  attempt<T>(attempt: LoginAttempt, make: () => Promise<T>): Promise<T>
}

interface Counted {
  readonly who: 'account' | 'everybody'
  readonly limiter: RateLimiterMemory
  readonly key: string
  readonly limit: number
}

/** Called when the last attempt is used up: that of the `account`, or of `everybody` at its address. */
export type OnLockout = (attempt: LoginAttempt, who: 'account' | 'everybody') => void

export function loginThrottle(onLockout: OnLockout = () => {}): LoginThrottle {
  const duration = WINDOW_SECONDS
  const byPair = new RateLimiterMemory({ points: PER_EMAIL_AND_ADDRESS, duration })
  const byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration })
  const strangers = fairQueue({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING })
  const browsers = linesOf(MAX_WAITING_BROWSERS)

  const counted = async <T>(attempt: LoginAttempt, all: readonly Counted[], make: () => Promise<T>): Promise<T> => {
    for (const { limiter, key, limit } of all) refuseFrom(limit, await limiter.get(key))
    try {
      const made = await make()
      for (const { limiter, key, who } of all) if (who === 'account') await limiter.delete(key)
      return made
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_credentials')
        for (const { limiter, key, limit, who } of all)
          if ((await limiter.penalty(key)).consumedPoints === limit) onLockout(attempt, who)
      throw error
    }
  }
  return {
    attempt: (attempt, make) => {
      const { email, address, browser } = attempt
      const account = email.toLowerCase()
      const pair = (from: string): Counted => ({
        who: 'account',
        limiter: byPair,
        key: `${account} ${from}`,
        limit: PER_EMAIL_AND_ADDRESS,
      })
      if (browser !== null) return browsers(browser, () => counted(attempt, [pair(`browser ${browser}`)], make))
      const network = networkOf(address)
      const fromThere: Counted = { who: 'everybody', limiter: byAddress, key: network, limit: PER_ADDRESS }
      return strangers.run({ account, address: network }, () => counted(attempt, [fromThere, pair(network)], make))
    },
  }
}

/** Runs what has the same key one after the other. Throws `busy` if too many wait. */
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
