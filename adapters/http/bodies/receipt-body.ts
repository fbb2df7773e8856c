import type { Context } from 'koa'
import { AppError } from '../../../core/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../core/json.ts'
import type { ReceiptPayload, Unreadable } from '../../../core/sms/read-receipt.ts'
import { RECEIPT_BODY } from './body.ts'
import { readBytes, textOf } from './body-bytes.ts'
import { multipartFields } from './multipart.ts'

/** Real receipts have about twenty. */
const MAX_FIELDS = 1_000

/**
 * Returns a receipt's query and body: a JSON object, a form or a multipart form; the last of repeated members counts.
 * Throws `busy` if too many bodies are being read.
 */
export const receiptPayload = (ctx: Context): Promise<ReceiptPayload | Unreadable> =>
  reading(ctx, async bytes => {
    const query = formMembers(ctx.querystring)
    const body = await bodyMembers(ctx, bytes)
    if (query === null || body === null) return 'too_many_fields' as const
    return { query, body, size: ctx.querystring.length + bytes.length }
  })

/** Returns a receipt's body as received. Throws `busy` if too many bodies are being read. */
export const receiptBytes = (ctx: Context): Promise<Uint8Array | Unreadable> => reading(ctx, async bytes => bytes)

async function reading<T>(ctx: Context, read: (bytes: Buffer) => Promise<T>): Promise<T | Unreadable> {
  try {
    return await read(await readBytes(ctx.req, ctx.res, RECEIPT_BODY))
  } catch (error) {
    if (!(error instanceof AppError)) return 'malformed'
    if (error.code === 'too_large' || error.code === 'unsupported_media' || error.code === 'malformed')
      return error.code
    throw error
  }
}

/** Returns null if there are too many. Throws on malformed bodies. */
async function bodyMembers(ctx: Context, bytes: Buffer): Promise<JsonObject | null> {
  if (ctx.request.is('multipart/form-data')) {
    const fields = await multipartFields(ctx.get('content-type'), bytes)
    return fields && Object.fromEntries(fields)
  }
  const text = textOf(bytes)
  // Some clients send JSON as another type, such as curl by default: no form begins like that.
  const isJson = ctx.request.is('application/json', '+json') || /^\s*\{/.test(text)
  return isJson && text.trim() !== '' ? jsonMembers(text) : formMembers(text)
}

const hasMany = (text: string, separator: string): boolean => text.split(separator, MAX_FIELDS + 1).length > MAX_FIELDS

function jsonMembers(text: string): JsonObject | null {
  if (hasMany(text, ',')) return null
  const body = parseJson(text)
  if (!isJsonObject(body)) throw new AppError('malformed', 'The receipt is not a JSON object.')
  return body
}

const formMembers = (text: string): JsonObject | null =>
  hasMany(text, '&') ? null : Object.fromEntries(new URLSearchParams(text))
