import Koa, { type Middleware } from 'koa'
import type { Logger } from 'pino'
import { AppError } from '../../core/errors.ts'
import { isEndless } from './bodies/body-bytes.ts'
import { compress } from './compression.ts'
import { failureOf } from './errors.ts'
import type { HttpMetrics } from './metrics.ts'
import { sendJson } from './responses.ts'
import { signedInAccount } from './sessions/session.ts'

/** Counts answered requests. */
export type AnswerMetrics = Pick<HttpMetrics, 'request'>

/** Returns an application that names, logs and counts each request, and turns exceptions into answers. */
export function notedApp(log: Logger, metrics: AnswerMetrics | undefined, trustedProxies = 0): Koa {
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  app.on('error', error => {
    if (!isClientGone(error)) log.error({ err: error }, 'a response failed')
  })
  app.use(answer(log, metrics))
  return app
}

const GONE = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']

const isClientGone = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || ('code' in error && GONE.includes(String(error.code))))

/** The outermost middleware: names each request, turns exceptions into answers, and logs one line. */
function answer(log: Logger, metrics: AnswerMetrics | undefined): Middleware {
  const run = Math.random().toString(36).slice(2, 8)
  let count = 0
  return async (ctx, next) => {
    const started = performance.now()
    const id = `${run}-${(++count).toString(36)}`
    ctx.set({ 'x-request-id': id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    ctx.res.once('close', () => {
      const ms = Math.round((performance.now() - started) * 1000) / 1000
      const { status, method } = ctx
      metrics?.request(method, ctx.state.route ?? null, ctx.params?.resource, status, ms / 1000)
      const { id: account } = signedInAccount(ctx) ?? {}
      const { route = null, trouble } = ctx.state
      const line = { id, method, route, status, ms, account, ...trouble }
      log[status >= 500 ? 'error' : trouble ? 'warn' : 'info'](
        line,
        ctx.res.writableFinished ? 'request' : 'request cut off',
      )
    })
    try {
      await next()
    } catch (error) {
      if (ctx.res.destroyed && isClientGone(error)) return
      const { status, headers, body } = failureOf(error)
      if (status >= 500)
        log.error({ id, err: error instanceof AppError ? (error.cause ?? error) : error }, 'a request failed')
      ctx.set(headers)
      sendJson(ctx, status, JSON.stringify(body))
    }
    // Compresses for signed-in accounts only: others must not cause work, and a gateway gets the answer that it
    // expects.
    if (signedInAccount(ctx)) await compress(ctx)
    if (isEndless(ctx.req)) ctx.set('connection', 'close')
  }
}
