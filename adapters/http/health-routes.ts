import { AppError } from '../../core/errors.ts'
import { respond, sendJson } from './responses.ts'
import type { Route } from './route.ts'

/** One write answers for those who ask within this time. */
const FRESH_MS = 1_000

/** Whether the process lives, and whether it can write. */
export function healthRoutes(beat: () => Promise<void>): readonly Route[] {
  let latest: { readonly at: number; readonly result: Promise<void> } | null = null
  const canWrite = (): Promise<void> => {
    if (latest === null || performance.now() - latest.at > FRESH_MS) latest = { at: performance.now(), result: beat() }
    return latest.result
  }
  return [
    { path: '/healthz', session: 'none', methods: { GET: ctx => respond(ctx, 200, 'Alive.') } },
    {
      path: '/readyz',
      session: 'none',
      methods: {
        GET: async ctx => {
          try {
            await canWrite()
            respond(ctx, 200, 'Ready.')
          } catch (error) {
            const why = error instanceof AppError ? ` ${error.message}` : ''
            sendJson(ctx, 503, JSON.stringify({ message: `The database cannot be written.${why}` }))
          }
        },
      },
    },
  ]
}
