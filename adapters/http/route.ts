import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Need } from '../../core/access/policy.ts'
import { AppError } from '../../core/errors.ts'

export type Handler = (ctx: Context) => Promise<void> | void

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** `account` requires only a login. A function decides by the parameters in the path; null if those name nothing. */
export type Needs = 'account' | Need | ((parameters: Readonly<Record<string, string>>) => Need | null)

export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, Handler>>>
  /** required: 401 without one. optional: looked up. none: neither looked up nor guarded against foreign origins. */
  readonly session: 'required' | 'optional' | 'none'
  /** What each method requires of the account. A method without an entry is for admins of all tenants. */
  readonly needs?: Readonly<Partial<Record<Method, Needs>>>
  /** A page requests it by itself, again and again, so it keeps no session alive. */
  readonly isUnattended?: true
  /** Called with a request by an unsupported method before its 405; returns true if it has answered. */
  readonly onWrongMethod?: (ctx: Context) => Promise<boolean>
  /** Returns false if nothing exists at a path that fits the pattern: 404. */
  readonly exists?: (parameters: Readonly<Record<string, string>>) => boolean
}

const IDENTIFIER = /^[1-9]\d{0,15}$/

/** Reads a path segment as an id; null if it is not a positive integer. */
export const idIn = (segment: string | undefined): number | null =>
  segment !== undefined && IDENTIFIER.test(segment) && Number.isSafeInteger(Number(segment)) ? Number(segment) : null

export const noSuchPath = (): AppError => new AppError('not_found', 'There is nothing at this path.')

/** Wraps a route's handler with what must precede it. */
export type Guard = (route: Route, method: Method, handler: Handler) => Middleware

/** Beginnings of paths: a request is matched only with the routes of its part of the service. */
const PARTS = ['/api/console/', '/api/', '/']

const partOf = (path: string): string => PARTS.find(part => path.startsWith(part)) ?? '/'

/** Routes as one middleware. Each of them answers every method: those it lacks with a 405. */
export function router(routes: readonly Route[], guard: Guard): Middleware {
  const tables = new Map(
    PARTS.map(part => [
      part,
      tableOf(
        routes.filter(({ path }) => partOf(path) === part),
        guard,
      ),
    ]),
  )
  return (ctx, next) => tables.get(partOf(ctx.path))?.(ctx, next)
}

function tableOf(routes: readonly Route[], guard: Guard): Middleware {
  const table = new Router({ sensitive: true, strict: true })
  for (const route of routes) {
    const allow = Object.keys(route.methods).flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const handlers = new Map<string, Middleware>()
    for (const method of METHODS) {
      const handler = route.methods[method]
      if (handler) handlers.set(method, guard(route, method, handler))
    }
    table.all(route.path, async (ctx, next) => {
      if (route.exists && !route.exists(ctx.params)) return next()
      const handler = handlers.get(ctx.method === 'HEAD' ? 'GET' : ctx.method)
      if (!handler) {
        if (await route.onWrongMethod?.(ctx)) {
          ctx.state.route = route.path
          return
        }
        throw new AppError('method_not_allowed', `The ${ctx.method} method is not supported here.`, { allow })
      }
      ctx.state.route = route.path
      return handler(ctx, next)
    })
  }
  const dispatch = table.routes()
  return (ctx, next) => dispatch(ctx as never, next)
}
