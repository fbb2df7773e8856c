import type { Context } from 'koa'
import { type AREAS, isUnlimited, type Need, type Operation, refusal } from '../../core/access/policy.ts'
import { AppError } from '../../core/errors.ts'
import type { Account } from '../../core/ports/accounts.ts'
import type { Resource } from '../../core/resources/resource.ts'
import type { Access } from '../../core/use-cases/accounts/access.ts'
import type { Handler, Method, Needs, Route } from './route.ts'

/** What a route over records requires of the account. */
export const onRecords = (operation: Operation, { name }: Pick<Resource, 'name'>): Need => ({
  operation,
  on: name,
  isConfined: true,
})

/** What a route over data that all tenants share requires. */
export const onArea = (operation: Operation, on: keyof typeof AREAS): Need => ({ operation, on, isConfined: false })

/** The same by method, for the resource in the path. */
export const needsOfRecords = (
  named: (parameters: Readonly<Record<string, string>>) => Resource | undefined,
): Readonly<Record<Method, Needs>> => {
  const asking =
    (operation: Operation): Needs =>
    parameters => {
      const resource = named(parameters)
      return resource ? onRecords(operation, resource) : null
    }
  return {
    GET: asking('read'),
    POST: asking('create'),
    PUT: asking('change'),
    PATCH: asking('change'),
    DELETE: asking('delete'),
  }
}

interface Asked {
  readonly ctx: Context
  readonly route: Route
  readonly method: Method
  /** Serves accounts that may do everything. */
  readonly handler: Handler
}

/**
 * Returns a function that finds the handler for an account: for one with limits, that of the route over its own use
 * cases. It throws `forbidden`.
 */
export function allowing(
  access: Access,
  routesOver: (useCases: ReturnType<Access['useCases']>) => readonly Route[],
): (account: Account, asked: Asked) => Handler {
  const made = new WeakMap<object, ReadonlyMap<string, Route>>()
  const routesOf = (useCases: ReturnType<Access['useCases']>): ReadonlyMap<string, Route> => {
    const routes = made.get(useCases) ?? new Map(routesOver(useCases).map(route => [route.path, route]))
    made.set(useCases, routes)
    return routes
  }
  return (account, { ctx, route, method, handler }) => {
    const viewer = access.viewerOf(account)
    const needs = route.needs?.[method]
    if (isUnlimited(viewer) || needs === 'account') return handler
    const need = needIn(needs, ctx)
    const reason = refusal(viewer, need)
    if (reason !== null) throw new AppError('forbidden', reason)
    const confined = routesOf(access.useCases(viewer)).get(route.path)?.methods[method]
    if (!confined && need?.isConfined) throw new AppError('internal', `${method} ${route.path} is not confined.`)
    return confined ?? handler
  }
}

const needIn = (needs: Exclude<Needs, 'account'> | undefined, { params }: Context): Need | null =>
  typeof needs === 'function' ? needs(params) : (needs ?? null)
