import type Koa from 'koa'
import type { Logger } from 'pino'
import type { Mount } from '../../core/ports/switching/mounts.ts'
import { mountedBody } from './bodies/body.ts'
import { type AnswerMetrics, notedApp } from './noted-app.ts'
import { noSuchPath, type Route, router } from './route.ts'

/** The paths for programs that are not API clients. Each checks by itself who may use it. */
export const mountRoutes = (mounts: readonly Mount[]): readonly Route[] =>
  mounts.map(({ path, largest, answer }) => ({
    path,
    session: 'none',
    methods: {
      POST: async ctx => {
        const { status, headers, type, body } = await answer({
          address: ctx.req.socket.remoteAddress ?? '',
          header: name => {
            const value = ctx.req.headers[name]
            return Array.isArray(value) ? value.join() : value
          },
          body: () => mountedBody(ctx, largest),
        })
        ctx.status = status
        ctx.set({ ...headers, 'content-type': type })
        ctx.body = body
      },
    },
  }))

/** An application of these paths alone. */
export function mountedApp(mounts: readonly Mount[], log: Logger, metrics: AnswerMetrics): Koa {
  const app = notedApp(log, metrics)
  app.use(router(mountRoutes(mounts), (_route, _method, handler) => handler))
  app.use(() => {
    throw noSuchPath()
  })
  return app
}
