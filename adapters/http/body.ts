import type { Context, Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import { AppError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts'

const LIMIT = 1024 * 1024

/** Takes every body as text: JSON is read without losing digits, and forms without a form parser's inventions. */
const readPacked: Middleware = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: ['*/*'] },
  textLimit: `${LIMIT}b`,
  onerror: error => {
    throw asAppError(error)
  },
})

const noNext = async (): Promise<void> => undefined

const tooLarge = (): AppError => new AppError('too_large', 'The request body is larger than 1 MiB.')
const unreadable = (): AppError => new AppError('malformed', 'The request body could not be read.')

const decoder = new TextDecoder()

/** A body that is not packed needs no parser, whose detours take as long as all else that a small request costs Koa. */
function plainText({ req }: Context): Promise<string> {
  return new Promise((resolve, reject) => {
    if (req.destroyed) return reject(unreadable())
    const pieces: Buffer[] = []
    let bytes = 0
    req.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes <= LIMIT) return void pieces.push(piece)
      req.pause()
      reject(tooLarge())
    })
    req.once('end', () => resolve(decoder.decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))))
    req.once('close', () => reject(unreadable()))
  })
}

async function packedText(ctx: Context): Promise<string> {
  ctx.req.headers['content-type'] ??= 'application/octet-stream'
  await readPacked(ctx, noNext)
  return typeof ctx.request.body === 'string' ? ctx.request.body : ''
}

async function textOf(ctx: Context): Promise<string> {
  try {
    return await (ctx.req.headers['content-encoding'] === undefined ? plainText(ctx) : packedText(ctx))
  } catch (error) {
    // The rest of a body that nobody reads would hold up the connection's next request.
    if (!ctx.req.complete) ctx.set('connection', 'close')
    throw error
  }
}

function asAppError(error: Error): Error {
  const status = 'status' in error ? error.status : undefined
  if (status === 413) return tooLarge()
  if (status === 415) return new AppError('unsupported_media', 'The encoding of the request body is not supported.')
  const isCorrupt = 'code' in error && String(error.code).startsWith('Z_')
  return status === 400 || isCorrupt ? unreadable() : error
}

const hasBody = ({ req }: Context): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

/** The JSON value of the body; an empty object without one. Throws `malformed`, `too_large`, `unsupported_media`. */
export async function jsonBody(ctx: Context): Promise<unknown> {
  if (!hasBody(ctx)) return {}
  if (!ctx.request.is('application/json', '+json'))
    throw new AppError('unsupported_media', 'The request body must be JSON, with Content-Type: application/json.')
  const text = await textOf(ctx)
  if (text === '') return {}
  try {
    return parseJson(text)
  } catch {
    throw new AppError('malformed', 'The request body is not valid JSON.')
  }
}

/** The members of a JSON object or a form, the last of repeated ones; none of anything else. Never throws. */
export async function receiptPayload(ctx: Context): Promise<JsonObject> {
  try {
    const text = await textOf(ctx)
    if (!ctx.request.is('application/json', '+json')) return Object.fromEntries(new URLSearchParams(text))
    const body = parseJson(text)
    return isJsonObject(body) ? body : {}
  } catch {
    return {}
  }
}
