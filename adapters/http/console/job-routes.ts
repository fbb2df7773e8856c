import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Need, Operation } from '../../../core/access/policy.ts'
import { AppError } from '../../../core/errors.ts'
import type { Job, Upload } from '../../../core/jobs/job.ts'
import { resourceNamed, resourceOf } from '../../../core/resources/all.ts'
import { collectionOf, type Resource } from '../../../core/resources/resource.ts'
import { formatOf } from '../../../core/transfer/formats.ts'
import type { Access } from '../../../core/use-cases/accounts/access.ts'
import type { By, Jobs } from '../../../core/use-cases/jobs/jobs.ts'
import { onRecords } from '../access.ts'
import { jsonBody } from '../bodies/body.ts'
import { respond } from '../responses.ts'
import { idIn, noSuchPath, type Route } from '../route.ts'
import { actorOf, requireAccount } from '../sessions/session.ts'
import { errorsOfJob } from './job-errors.ts'
import { inBlocks } from './part-blocks.ts'
import { shownJob } from './shown-job.ts'

/** The content type of a part of an upload, as in the tus protocol. */
export const PART_TYPE = 'application/offset+octet-stream'

const TYPES = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' } as const

/** What imports and exports require: each account has its own, and sees those of its tenant. */
const onJobs = (operation: Operation): Need => ({ operation, on: 'jobs', isConfined: true })

const onCollection =
  (operation: Operation) =>
  ({ collection = '' }: Readonly<Record<string, string>>): Need | null => {
    const resource = resourceOf(collection)
    return resource ? onRecords(operation, resource) : null
  }

/** Uploads, imports and exports, which run in the background. */
export function consoleJobRoutes(jobs: Jobs, access: Access): readonly Route[] {
  const asking = (ctx: Context): By => {
    const account = requireAccount(ctx)
    const viewer = access.viewerOf(account)
    return { viewer, owner: { id: account.id, actor: actorOf(ctx), tenantId: viewer.tenantId } }
  }
  const route = (path: string, methods: Route['methods'], needs: NonNullable<Route['needs']>): Route => ({
    path: `/api/console/${path}`,
    session: 'required',
    methods,
    needs,
  })
  const exists = ({ collection = '' }: Readonly<Record<string, string>>) => resourceOf(collection) !== undefined
  const [read, change] = [onJobs('read'), onJobs('change')]
  const handlers = jobHandlers(jobs, asking)
  return [
    route('uploads', { POST: handlers.begin }, { POST: change }),
    route(
      'uploads/:id',
      { GET: handlers.offset, PATCH: handlers.append, DELETE: handlers.drop },
      { GET: read, PATCH: change, DELETE: change },
    ),
    { ...route('imports/:collection', { POST: handlers.import }, { POST: onCollection('create') }), exists },
    { ...route('exports/:collection', { POST: handlers.export }, { POST: onCollection('read') }), exists },
    { ...route('jobs', { GET: handlers.list }, { GET: read }), isUnattended: true },
    {
      ...route('jobs/:id', { GET: handlers.show, DELETE: handlers.forget }, { GET: read, DELETE: change }),
      isUnattended: true,
    },
    route('jobs/:id/stop', { POST: handlers.stop }, { POST: change }),
    route('jobs/:id/resume', { POST: handlers.resume }, { POST: change }),
    route('jobs/:id/errors', { GET: handlers.errors }, { GET: read }),
    route('jobs/:id/file', { GET: handlers.file }, { GET: read }),
  ]
}

function idOf(ctx: Context): number {
  const id = idIn(ctx.params.id)
  if (id === null) throw new AppError('not_found', 'Job not found.')
  return id
}

function named(ctx: Context): Resource {
  const resource = resourceOf(ctx.params.collection)
  if (!resource) throw noSuchPath()
  return resource
}

function jobHandlers(jobs: Jobs, asking: (ctx: Context) => By) {
  const tell = (ctx: Context, status: number, message: string, upload: Upload): void => {
    const { id, name, bytes, received } = upload
    ctx.set({ 'upload-offset': String(received), 'upload-length': String(bytes) })
    respond(ctx, status, message, JSON.stringify({ id, name, bytes, offset: received }))
  }
  const answer = (ctx: Context, status: number, message: string, job: Job): void =>
    respond(ctx, status, message, JSON.stringify(shownJob(job, asking(ctx))))
  return {
    begin: async (ctx: Context) => {
      tell(ctx, 201, 'Upload begun.', await jobs.uploads.begin(asking(ctx).owner, await jsonBody(ctx)))
    },
    offset: async (ctx: Context) =>
      tell(ctx, 200, 'Upload found.', await jobs.uploads.find(asking(ctx).viewer, idOf(ctx))),
    append: async (ctx: Context) => {
      const asked = asking(ctx)
      const id = idOf(ctx)
      await jobs.uploads.own(asked, id)
      if (ctx.request.type !== PART_TYPE)
        throw new AppError('unsupported_media', `A part of an upload comes with Content-Type: ${PART_TYPE}.`)
      const at = Number(ctx.get('upload-offset') || Number.NaN)
      if (!Number.isSafeInteger(at)) throw new AppError('malformed', 'The header Upload-Offset must be a number.')
      tell(ctx, 200, 'Part kept.', await jobs.uploads.append(asked, id, at, inBlocks(ctx.req)))
    },
    drop: async (ctx: Context) => {
      await jobs.uploads.remove(asking(ctx), idOf(ctx))
      respond(ctx, 200, 'Upload deleted.')
    },
    import: async (ctx: Context) => {
      const body = await jsonBody(ctx)
      answer(ctx, 201, 'Import begun.', await jobs.import(asking(ctx), named(ctx), body))
    },
    export: async (ctx: Context) => {
      const body = await jsonBody(ctx)
      answer(ctx, 201, 'Export begun.', await jobs.export(asking(ctx), named(ctx), ctx.query, body))
    },
    list: async (ctx: Context) => {
      const asked = asking(ctx)
      const all = (await jobs.list(asked.viewer)).map(job => shownJob(job, asked))
      respond(ctx, 200, 'Jobs listed.', JSON.stringify(all))
    },
    show: async (ctx: Context) => answer(ctx, 200, 'Job loaded.', await jobs.find(asking(ctx).viewer, idOf(ctx))),
    forget: async (ctx: Context) => {
      await jobs.forget(asking(ctx).viewer, idOf(ctx))
      respond(ctx, 200, 'Job deleted.')
    },
    stop: async (ctx: Context) => answer(ctx, 200, 'Job stopped.', await jobs.stop(asking(ctx).viewer, idOf(ctx))),
    resume: async (ctx: Context) => answer(ctx, 200, 'Job resumed.', await jobs.resume(asking(ctx), idOf(ctx))),
    errors: async (ctx: Context) => {
      const from = Number(ctx.query.from ?? 0)
      if (!Number.isSafeInteger(from) || from < 0) throw new AppError('malformed', 'from must be a number.')
      respond(ctx, 200, 'Errors listed.', await errorsOfJob(jobs, asking(ctx), idOf(ctx), from))
    },
    file: async (ctx: Context) => {
      const asked = asking(ctx)
      const id = idOf(ctx)
      const { kind } = await jobs.find(asked.viewer, id)
      const { job, bytes, pieces } = await jobs.read(asked, id, kind === 'import' ? 'rejects' : 'output')
      const format = job.kind === 'import' ? formatOf(job.options.format, job.file) : job.form.format
      ctx.status = 200
      ctx.set({
        'content-type': `${TYPES[format]}; charset=utf-8`,
        'content-disposition': attachment(fileName(job, format)),
        'content-length': String(bytes),
      })
      ctx.body = Readable.from(pieces, { objectMode: false })
    },
  }
}

const fileName = (job: Job, format: keyof typeof TYPES): string =>
  job.kind === 'import' ? `rejected-${job.file}` : `${collectionOf(resourceNamed(job.resource))}.${format}`

/** Formats a file name with any letters, by RFC 6266. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, c => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
