import type { Context } from 'koa'
import type { Timestamp } from '../../core/dates.ts'
import { AppError } from '../../core/errors.ts'
import type { Heartbeat } from '../../core/ports/upkeep.ts'
import { respond, sendJson } from './responses.ts'
import type { Route } from './route.ts'

const unready = (ctx: Context, message: string): void => sendJson(ctx, 503, JSON.stringify({ message }))

/** One write answers all requests within this time. */
const FRESH_MS = 1_000

/**
 * Reports whether the process lives, and whether it can write and is not about to stop: the moment written tells which
 * database it serves.
 */
export function healthRoutes(heartbeat: Heartbeat, leaving?: AbortSignal): readonly Route[] {
  let latest: { readonly at: number; readonly result: Promise<Timestamp> } | null = null
  const written = (): Promise<Timestamp> => {
    if (latest === null || performance.now() - latest.at > FRESH_MS)
      latest = { at: performance.now(), result: heartbeat.beat() }
    return latest.result
  }
  return [
    { path: '/healthz', session: 'none', methods: { GET: ctx => respond(ctx, 200, 'Alive.') } },
    {
      path: '/readyz',
      session: 'none',
      methods: {
        GET: async ctx => {
          if (leaving?.aborted) return unready(ctx, 'The daemon is stopping.')
          try {
            respond(ctx, 200, 'Ready.', JSON.stringify({ beaten_at: await written() }))
          } catch (error) {
            const why = error instanceof AppError ? ` ${error.message}` : ''
            unready(ctx, `The database cannot be written.${why}`)
          }
        },
      },
    },
  ]
}
