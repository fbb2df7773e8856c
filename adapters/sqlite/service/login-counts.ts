import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { LoginCounts } from '../../../core/ports/accounts.ts'

/** The storage port: one daemon serves a file, so it counts in memory. */
export function loginCounts(): LoginCounts {
  const counts = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 1 })
  return {
    add: (keys, seconds) =>
      Promise.all(
        keys.map(async key => {
          const { consumedPoints, msBeforeNext } = await counts.penalty(key, 1, { customDuration: seconds })
          return { count: consumedPoints, secondsLeft: msBeforeNext / 1000 }
        }),
      ),
    takeBack: async keys => {
      for (const key of keys) await counts.reward(key)
    },
    clear: async key => {
      await counts.delete(key)
    },
    forgetExpired: async () => undefined,
  }
}
