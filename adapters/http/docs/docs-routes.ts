import { inTurns } from '../clients/in-turns.ts'
import { type Packed, packed, sendPacked } from '../compression.ts'
import type { Route } from '../route.ts'
import type { OpenApiDocument } from './openapi.ts'
import { referencePage } from './reference-page.ts'
import { REFERENCE_STYLE } from './reference-style.ts'

/** A page without scripts, pictures or forms, and without anything from another host. */
const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** How long after the start the description is built, unless requested before. */
const MADE_AFTER_MS = 1_000

interface Reference {
  readonly json: Packed
  readonly page: Packed
}

/** As bytes, compressed once and shared by all clients that request them and read slowly. */
async function make(describe: () => Promise<OpenApiDocument>): Promise<Reference> {
  const document = await describe()
  const page = await inTurns(referencePage(document))
  return { json: await packed(JSON.stringify(document)), page: await packed(page) }
}

const STYLE = Buffer.from(REFERENCE_STYLE)

/** Serves the description of the API, for programs and as a page; calls `describe` once. */
export function docsRoutes(describe: () => Promise<OpenApiDocument>): readonly Route[] {
  let made: Promise<Reference> | undefined
  const reference = (): Promise<Reference> => {
    made ??= make(describe)
    return made
  }
  setTimeout(() => reference().catch(() => undefined), MADE_AFTER_MS).unref()
  return [
    {
      path: '/openapi.json',
      session: 'none',
      methods: { GET: async ctx => sendPacked(ctx, 'application/json; charset=utf-8', (await reference()).json) },
    },
    {
      path: '/docs',
      session: 'none',
      methods: {
        GET: async ctx => {
          ctx.set('content-security-policy', POLICY)
          sendPacked(ctx, 'text/html; charset=utf-8', (await reference()).page)
        },
      },
    },
    {
      path: '/docs/reference.css',
      session: 'none',
      methods: {
        GET: ctx => {
          ctx.set('cache-control', 'max-age=3600')
          ctx.body = STYLE
          ctx.type = 'text/css; charset=utf-8'
        },
      },
    },
  ]
}
