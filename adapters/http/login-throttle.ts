import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../../core/errors.ts'

const WINDOW_SECONDS = 15 * 60
const PER_EMAIL_AND_ADDRESS = 10
const PER_ADDRESS = 100

export interface LoginThrottle {
  /** Counts an attempt before it is made, so that many at once can't all pass. Throws `too_many_attempts`. */
  attempt(email: string, address: string): Promise<void>
  /** Takes the attempt back: it was right, or could not be made. A right one clears what its e-mail had. */
  forgive(email: string, address: string, outcome: 'right' | 'not made'): Promise<void>
}

export function loginThrottle(): LoginThrottle {
  const byPair = new RateLimiterMemory({ points: PER_EMAIL_AND_ADDRESS, duration: WINDOW_SECONDS })
  const byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration: WINDOW_SECONDS })
  const pairOf = (email: string, address: string): string => `${email.toLowerCase()} ${address}`

  const consume = async (limiter: RateLimiterMemory, key: string): Promise<void> => {
    try {
      await limiter.consume(key)
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      const retryAfter = Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
      throw new AppError('too_many_attempts', 'Too Many Attempts.', { retryAfter })
    }
  }
  return {
    attempt: async (email, address) => {
      await consume(byPair, pairOf(email, address))
      await consume(byAddress, address)
    },
    forgive: async (email, address, outcome) => {
      await byAddress.reward(address)
      if (outcome === 'right') await byPair.delete(pairOf(email, address))
      else await byPair.reward(pairOf(email, address))
    },
  }
}
