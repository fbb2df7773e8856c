import type { Context } from 'koa'
import { placeAt } from '../../../core/console/paths.ts'
import type { Handler, Route } from '../route.ts'

/** A built file of the console, in every encoding. */
export interface ConsoleFile {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly br: Buffer
}

export interface ConsoleFiles {
  readonly page: ConsoleFile
  /** By name; each name includes a hash of the contents. */
  readonly assets: ReadonlyMap<string, ConsoleFile>
}

/** Allows only our own scripts and styles, nothing inline, and no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Accept-Encoding',
}

/** Sends a file in the best encoding that the client accepts; nothing if it already has that one. */
function send(ctx: Context, file: ConsoleFile, caching: string): void {
  ctx.set({ ...HEADERS, 'cache-control': caching, etag: file.etag })
  ctx.type = file.type
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity')
  if (encoding !== 'br' && encoding !== 'gzip') {
    ctx.body = file.plain
    return
  }
  ctx.set('content-encoding', encoding)
  ctx.body = file[encoding]
}

/** The console: a page at each path that shows one, and the page's files. */
export function pageRoutes({ page, assets }: ConsoleFiles): readonly Route[] {
  const show: Handler = ctx => send(ctx, page, 'no-cache')
  const isPlace = (parameters: Readonly<Record<string, string>>): boolean =>
    placeAt(`/${Object.values(parameters).join('/')}`) !== null
  return [
    { path: '/', session: 'none', methods: { GET: show } },
    {
      path: '/console/:file',
      session: 'none',
      exists: ({ file = '' }) => assets.has(file),
      methods: {
        GET: ctx => {
          const file = assets.get(ctx.params.file)
          if (file) send(ctx, file, 'public, max-age=31536000, immutable')
        },
      },
    },
    { path: '/:section', session: 'none', exists: isPlace, methods: { GET: show } },
    { path: '/:section/:record', session: 'none', exists: isPlace, methods: { GET: show } },
  ]
}
