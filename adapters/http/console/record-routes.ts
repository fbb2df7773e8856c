import type { Context } from 'koa'
import { AppError } from '../../../core/errors.ts'
import { counted as countedOf } from '../../../core/format-count.ts'
import { resourceOf } from '../../../core/resources/all.ts'
import { lowered, type Resource } from '../../../core/resources/resource.ts'
import { asBody } from '../../../core/resources/values/input.ts'
import { idsIn } from '../../../core/use-cases/calls/quarantine.ts'
import type { Administration } from '../../../core/use-cases/records/administer.ts'
import type { Browsing } from '../../../core/use-cases/records/browsing.ts'
import { needsOfRecords, onRecords } from '../access.ts'
import { jsonBody } from '../bodies/body.ts'
import { idOf, whileOpen, wording } from '../resource-routes.ts'
import { respond } from '../responses.ts'
import { noSuchPath, type Route } from '../route.ts'
import { actorOf } from '../sessions/session.ts'

export interface RecordUseCases {
  readonly administration: Administration
  readonly browsing: Browsing
}

const needs = needsOfRecords(({ collection = '' }) => resourceOf(collection))
const revealing: NonNullable<Route['needs']> = {
  POST: ({ collection = '' }) => {
    const resource = resourceOf(collection)
    return resource ? onRecords('reveal', resource) : null
  },
}

/** The records of every resource as the console needs them, including resources without endpoints in the API. */
export function consoleRecordRoutes(useCases: RecordUseCases): readonly Route[] {
  const exists = ({ collection = '' }: Readonly<Record<string, string>>) => resourceOf(collection) !== undefined
  const path = '/api/console/records/:collection'
  const session = 'required'
  return [
    { path, session, needs, exists, methods: collection(useCases) },
    { path: `${path}/count`, session, needs, exists, methods: { GET: counted(useCases) } },
    { path: `${path}/:id`, session, needs, exists, methods: record(useCases) },
    { path: `${path}/:id/secrets`, session, needs: revealing, exists, methods: { POST: secrets(useCases) } },
  ]
}

function named(ctx: Context): Resource {
  const resource = resourceOf(ctx.params.collection)
  if (!resource) throw noSuchPath()
  return resource
}

/** Refuses to write records that are created in other ways. */
function assertWritable({ name, plural }: Resource): void {
  if (name === 'sms_messages') throw new AppError('invalid', `${plural} are made by sending alone.`)
}

const collection = ({ administration, browsing }: RecordUseCases): Route['methods'] => ({
  PATCH: async ctx => {
    const resource = named(ctx)
    assertWritable(resource)
    const body = asBody(await jsonBody(ctx))
    const ids = idsIn(body['ids'])
    await administration.changeAll(resource, ids, body['change'], actorOf(ctx))
    respond(
      ctx,
      200,
      `${countedOf(ids.length, lowered(resource.label))} changed.`,
      JSON.stringify({ changed: ids.length }),
    )
  },
  GET: async ctx => {
    const resource = named(ctx)
    const { json, next } = await browsing.part(resource, ctx.query, whileOpen(ctx.res))
    if (next !== null) ctx.set('x-next-after', String(next))
    respond(ctx, 200, wording.listed(resource), json)
  },
  POST: async ctx => {
    const resource = named(ctx)
    assertWritable(resource)
    respond(
      ctx,
      201,
      wording.created(resource),
      await administration.create(resource, await jsonBody(ctx), actorOf(ctx)),
    )
  },
})

const counted =
  ({ browsing }: RecordUseCases) =>
  async (ctx: Context): Promise<void> => {
    const resource = named(ctx)
    const count = await browsing.count(resource, ctx.query, whileOpen(ctx.res))
    respond(ctx, 200, `${resource.plural} counted.`, JSON.stringify({ count }))
  }

const record = ({ administration, browsing }: RecordUseCases): Route['methods'] => ({
  GET: async ctx => {
    const resource = named(ctx)
    const { json, version } = await browsing.one(resource, idOf(ctx, resource))
    ctx.set('etag', `"${version}"`)
    respond(ctx, 200, wording.loaded(resource), json)
  },
  PATCH: async ctx => {
    const resource = named(ctx)
    assertWritable(resource)
    const [id, body] = [idOf(ctx, resource), await jsonBody(ctx)]
    const seen = /^"(.+)"$/.exec(ctx.get('if-match'))?.[1]
    const json = await administration.change(resource, id, body, {
      by: actorOf(ctx),
      ...(seen === undefined ? {} : { expect: stored => browsing.assertSeen(resource, stored, seen) }),
    })
    respond(ctx, 200, wording.updated(resource), json)
  },
  DELETE: async ctx => {
    const resource = named(ctx)
    const cascade = ctx.query.cascade === 'true'
    await administration.remove(resource, idOf(ctx, resource), { cascade }, actorOf(ctx))
    respond(ctx, 200, wording.deleted(resource))
  },
})

/** A POST, since reading secrets is noted in the audit trail. */
const secrets =
  ({ browsing }: RecordUseCases) =>
  async (ctx: Context): Promise<void> => {
    const resource = named(ctx)
    const json = await browsing.secrets(resource, idOf(ctx, resource), actorOf(ctx))
    respond(ctx, 200, `Secrets of the ${resource.label} shown.`, json)
  }
