import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { notFound } from '../../core/errors.ts'
import { exposedResources } from '../../core/resources/all.ts'
import type { Resource } from '../../core/resources/resource.ts'
import type { Administration } from '../../core/use-cases/records/administer.ts'
import { needsOfRecords } from './access.ts'
import { jsonBody } from './bodies/body.ts'
import { respond } from './responses.ts'
import { type Handler, idIn, noSuchPath, type Route } from './route.ts'
import { actorOf } from './sessions/session.ts'

const byPath = new Map(exposedResources.map(resource => [resource.path, resource]))

/** The fixed texts of successes. */
export const wording = {
  listed: ({ plural }: Resource) => `${plural} fetched successfully.`,
  created: ({ label }: Resource) => `${label} created successfully.`,
  loaded: ({ label }: Resource) => `${label} loaded successfully.`,
  updated: ({ label }: Resource) => `${label} updated successfully.`,
  deleted: ({ label }: Resource) => `${label} deleted successfully.`,
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.at(-1) : value)

export const listQuery = ({ query, res }: Context) => ({
  search: one(query.search),
  limit: one(query.limit),
  after: one(query.after),
  signal: whileOpen(res),
})

/** Returns a signal that aborts when the response ends, even if it is cut off. */
export function whileOpen(response: ServerResponse): AbortSignal {
  const over = new AbortController()
  response.once('close', () => over.abort())
  return over.signal
}

/** Links to the next page, if there is one. */
export function linkNext(ctx: Context, baseUrl: string, next: number | null): void {
  if (next === null) return
  const query = new URLSearchParams(ctx.querystring)
  query.set('after', String(next))
  ctx.set('link', `<${baseUrl}${ctx.path}?${query}>; rel="next"`)
}

/** Returns the id in the path. Throws `not_found`, with the resource's own name. */
export function idOf(ctx: Context, { label }: Resource): number {
  const id = idIn(ctx.params.id)
  if (id === null) throw notFound(label)
  return id
}

const needs = needsOfRecords(({ resource = '' }) => byPath.get(resource))

/** The collection and record routes of every resource that is declared with a path. */
export function resourceRoutes(administration: Administration, { baseUrl }: { baseUrl: string }): readonly Route[] {
  const exists = (parameters: Readonly<Record<string, string>>) => byPath.has(parameters.resource ?? '')
  const session = 'required'
  return [
    { path: '/api/:resource', session, needs, exists, methods: collection(administration, baseUrl) },
    { path: '/api/:resource/:id', session, needs, exists, methods: record(administration) },
  ]
}

/** Returns the resource in the path. */
function named(ctx: Context): Resource {
  const resource = byPath.get(ctx.params.resource)
  if (!resource) throw noSuchPath()
  return resource
}

const collection = (administration: Administration, baseUrl: string): Route['methods'] => ({
  GET: async ctx => {
    const resource = named(ctx)
    const { json, next } = await administration.list(resource, listQuery(ctx))
    linkNext(ctx, baseUrl, next)
    respond(ctx, 200, wording.listed(resource), json)
  },
  POST: async ctx => {
    const resource = named(ctx)
    const json = await administration.create(resource, await jsonBody(ctx), actorOf(ctx))
    respond(ctx, 201, wording.created(resource), json)
  },
})

const record = (administration: Administration): Route['methods'] => ({
  GET: async ctx => {
    const resource = named(ctx)
    const json = await administration.show(resource, idOf(ctx, resource), whileOpen(ctx.res))
    respond(ctx, 200, wording.loaded(resource), json)
  },
  PUT: updating(administration.replace),
  PATCH: updating(administration.amend),
  DELETE: async ctx => {
    const resource = named(ctx)
    const cascade = one(ctx.query.cascade) === 'true'
    await administration.remove(resource, idOf(ctx, resource), { cascade }, actorOf(ctx))
    respond(ctx, 200, wording.deleted(resource))
  },
})

const updating =
  (update: Administration['replace' | 'amend']): Handler =>
  async ctx => {
    const resource = named(ctx)
    const json = await update(resource, idOf(ctx, resource), await jsonBody(ctx), actorOf(ctx))
    respond(ctx, 200, wording.updated(resource), json)
  }
