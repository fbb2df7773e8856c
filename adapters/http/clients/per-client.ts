import type { Middleware } from 'koa'
import { AppError } from '../../../core/errors.ts'
import { networkOf } from './address.ts'

/**
 * Limits the simultaneous requests of one address, or one /64 of IPv6, for services behind a proxy, whose connections
 * reveal nothing about its clients. Throws `busy`.
 */
export function perClient(limit: number): Middleware {
  const running = new Map<string, number>()
  return async (ctx, next) => {
    const network = networkOf(ctx.ip)
    const others = running.get(network) ?? 0
    if (others >= limit)
      throw new AppError('busy', 'Too many requests at once; try again in a moment.', { retryAfter: 5 })
    running.set(network, others + 1)
    ctx.res.once('close', () => {
      const left = (running.get(network) ?? 1) - 1
      if (left === 0) running.delete(network)
      else running.set(network, left)
    })
    await next()
  }
}
