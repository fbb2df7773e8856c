import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Context } from 'koa'
import type { OpenApiDocument } from './openapi.ts'
import { sendJson } from './responses.ts'
import { noSuchPath, type Route } from './route.ts'

/** Nothing from another host, nothing inline. The pictures in the style sheet are data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trunkline API</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#reference', validatorUrl: null, deepLinking: true })
`

/** What the page asks for, of all that the package has. */
const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

export const DOCS_FILES: readonly string[] = ['start.js', ...Object.keys(TYPES)]

const contents = new Map<string, Buffer>()

/**
 * Read once. A stream for each request would stay open when a client pipelines many and goes away: of a response that
 * was never begun, nothing tells its stream that the connection is closed.
 */
function contentOf(file: string): Buffer {
  const content = contents.get(file) ?? readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)))
  contents.set(file, content)
  return content
}

function sendFile(ctx: Context): void {
  const { file } = ctx.params
  ctx.set('cache-control', 'max-age=3600')
  if (file === 'start.js') {
    ctx.type = 'text/javascript; charset=utf-8'
    ctx.body = START
    return
  }
  const type = TYPES[file]
  if (type === undefined) throw noSuchPath()
  ctx.body = contentOf(file)
  ctx.type = type
}

/** The description of the API, and a page that shows it; `describe` is asked once, when someone first looks. */
export function docsRoutes(describe: () => OpenApiDocument): readonly Route[] {
  let json: string | null = null
  return [
    {
      path: '/openapi.json',
      session: 'none',
      methods: {
        GET: ctx => {
          json ??= JSON.stringify(describe())
          sendJson(ctx, 200, json)
        },
      },
    },
    {
      path: '/docs',
      session: 'none',
      methods: {
        GET: ctx => {
          ctx.set('content-security-policy', POLICY)
          ctx.type = 'text/html; charset=utf-8'
          ctx.body = PAGE
        },
      },
    },
    {
      path: '/docs/:file',
      session: 'none',
      exists: ({ file = '' }) => DOCS_FILES.includes(file),
      methods: { GET: sendFile },
    },
  ]
}
