import pLimit, { type LimitFunction } from 'p-limit'
import { AppError } from '../../../core/errors.ts'
import type { LoginCount, LoginCounts } from '../../../core/ports/accounts.ts'
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
  readonly key: string
  readonly limit: number
}

/** Called when the last attempt is used up: that of the `account`, or of `everybody` at its address. */
export type OnLockout = (attempt: LoginAttempt, who: 'account' | 'everybody') => void

export function loginThrottle(counts: LoginCounts, onLockout: OnLockout = () => {}): LoginThrottle {
  const strangers = fairQueue({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING })
  const browsers = linesOf(MAX_WAITING_BROWSERS)

  /** Counts the attempt before it is made, since other daemons make attempts at the same time. */
  const counted = async <T>(attempt: LoginAttempt, all: readonly Counted[], make: () => Promise<T>): Promise<T> => {
    const keys = all.map(({ key }) => key)
    const present = await counts.add(keys, WINDOW_SECONDS)
    const exceeded = present.find(({ count }, index) => count > (all[index]?.limit ?? 0))
    if (exceeded) {
      await counts.takeBack(keys)
      throw tooMany(exceeded)
    }
    try {
      const made = await make()
      await counts.takeBack(all.flatMap(({ who, key }) => (who === 'everybody' ? [key] : [])))
      for (const { who, key } of all) if (who === 'account') await counts.clear(key)
      return made
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'invalid_credentials'))
        await counts.takeBack(keys).catch(() => undefined)
      else
        for (const [index, { who, limit }] of all.entries())
          if (present[index]?.count === limit) onLockout(attempt, who)
      throw error
    }
  }
  return {
    attempt: (attempt, make) => {
      const { email, address, browser } = attempt
      const account = email.toLowerCase()
      const pair = (from: string): Counted => ({
        who: 'account',
        key: `${account} ${from}`,
        limit: PER_EMAIL_AND_ADDRESS,
      })
      if (browser !== null) return browsers(browser, () => counted(attempt, [pair(`browser ${browser}`)], make))
      const network = networkOf(address)
      const fromThere: Counted = { who: 'everybody', key: network, limit: PER_ADDRESS }
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

const tooMany = ({ secondsLeft }: LoginCount): AppError =>
  new AppError('too_many_attempts', 'Too Many Attempts.', { retryAfter: Math.max(1, Math.ceil(secondsLeft)) })
