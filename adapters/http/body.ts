import type { Context, Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import { AppError, invalid } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts'

const LIMIT = '1mb'

/** Takes every body as text: JSON is read without losing digits, and forms without a form parser's inventions. */
const readText: Middleware = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: ['*/*'] },
  textLimit: LIMIT,
  onerror: error => {
    throw asAppError(error)
  },
})

const noNext = async (): Promise<void> => undefined

async function textOf(ctx: Context): Promise<string> {
  ctx.req.headers['content-type'] ??= 'application/octet-stream'
  try {
    await readText(ctx, noNext)
  } catch (error) {
    // The rest of a body that nobody reads would hold up the connection's next request.
    if (!ctx.req.complete) ctx.set('connection', 'close')
    throw error
  }
  return typeof ctx.request.body === 'string' ? ctx.request.body : ''
}

function asAppError(error: Error): Error {
  const status = 'status' in error ? error.status : undefined
  if (status === 413) return new AppError('too_large', 'The request body is larger than 1 MiB.')
  if (status === 415) return new AppError('unsupported_media', 'The encoding of the request body is not supported.')
  const isCorrupt = 'code' in error && String(error.code).startsWith('Z_')
  return status === 400 || isCorrupt ? new AppError('malformed', 'The request body could not be read.') : error
}

const hasBody = ({ req }: Context): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

/**
 * The JSON value of the body; an empty object without one. Throws `malformed`, `too_large`, `unsupported_media`, and
 * `invalid` when it nests too deep to be read.
 */
export async function jsonBody(ctx: Context): Promise<unknown> {
  if (!hasBody(ctx)) return {}
  if (!ctx.request.is('application/json', '+json'))
    throw new AppError('unsupported_media', 'The request body must be JSON, with Content-Type: application/json.')
  const text = await textOf(ctx)
  if (text === '') return {}
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof RangeError)
      throw invalid([{ rule: 'max', field: 'body', sentence: 'The request body nests too deep.' }])
    throw new AppError('malformed', 'The request body is not valid JSON.')
  }
}

/** The members of a JSON object or a form, the last of repeated ones; none of anything else. Never throws. */
export async function receiptPayload(ctx: Context): Promise<JsonObject> {
  try {
    const text = await textOf(ctx)
    // Some send JSON under another type, such as curl without one: no form begins like that.
    const isJson = ctx.request.is('application/json', '+json') || /^\s*\{/.test(text)
    if (!isJson) return Object.fromEntries(new URLSearchParams(text))
    const body = parseJson(text)
    return isJsonObject(body) ? body : {}
  } catch {
    return {}
  }
}
