import pLimit, { type LimitFunction } from 'p-limit'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../../core/errors.ts'

const WINDOW_SECONDS = 15 * 60
const PER_EMAIL_AND_ADDRESS = 10
const PER_ADDRESS = 100
const MAX_WAITING = 200

export interface LoginThrottle {
  /**
   * Makes an attempt, unless too many from there failed. A right one clears what its e-mail had. Those of one address
   * are made one after the other: so many at once can't all pass, and none is refused for one that turns out right.
   * Throws `too_many_attempts`, `busy`, and what the attempt throws, of which `invalid_credentials` counts.
   */
  attempt<T>(email: string, address: string, make: () => Promise<T>): Promise<T>
}

export function loginThrottle(): LoginThrottle {
  const duration = WINDOW_SECONDS
  const byPair = new RateLimiterMemory({ points: PER_EMAIL_AND_ADDRESS, duration })
  const byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration })
  const queues = new Map<string, LimitFunction>()

  const inTurn = async <T>(address: string, act: () => Promise<T>): Promise<T> => {
    const queue = queues.get(address) ?? pLimit(1)
    if (queue.pendingCount >= MAX_WAITING)
      throw new AppError('busy', 'Too many logins at once; try again in a moment.', { retryAfter: 5 })
    queues.set(address, queue)
    try {
      return await queue(act)
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(address)
    }
  }
  return {
    attempt: (email, address, make) =>
      inTurn(address, async () => {
        const pair = `${email.toLowerCase()} ${address}`
        refuseFrom(PER_ADDRESS, await byAddress.get(address))
        refuseFrom(PER_EMAIL_AND_ADDRESS, await byPair.get(pair))
        try {
          const made = await make()
          await byPair.delete(pair)
          return made
        } catch (error) {
          if (error instanceof AppError && error.code === 'invalid_credentials')
            await Promise.all([byPair.penalty(pair), byAddress.penalty(address)])
          throw error
        }
      }),
  }
}

function refuseFrom(limit: number, found: RateLimiterRes | null): void {
  if (found === null || found.consumedPoints < limit) return
  const retryAfter = Math.max(1, Math.ceil(found.msBeforeNext / 1000))
  throw new AppError('too_many_attempts', 'Too Many Attempts.', { retryAfter })
}
