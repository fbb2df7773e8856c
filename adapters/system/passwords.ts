import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { AppError } from '../../core/errors.ts'
import type { Passwords } from '../../core/ports/accounts.ts'

/** OWASP's parameters for argon2id (the library's default variant): 19 MiB, two passes, one lane. */
export const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4

/** Hashing takes a thread and a core for some 20 ms: one core stays free, and at least one thread of the pool. */
const AT_ONCE = Math.max(1, Math.min(availableParallelism(), POOL_THREADS) - 1)
const MAX_WAITING = 200

export function argonPasswords(): Passwords {
  const limit = pLimit(AT_ONCE)
  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= MAX_WAITING)
      return Promise.reject(new AppError('busy', 'Too many logins at once; try again in a moment.', { retryAfter: 5 }))
    return limit(work)
  }
  const decoy = hash('no account has this password', PARAMETERS)
  return {
    hash: password => queued(() => hash(password, PARAMETERS)),
    verify: (stored, password) =>
      queued(async () => {
        const matches = await verify(stored ?? (await decoy), password)
        return stored !== null && matches
      }),
  }
}
