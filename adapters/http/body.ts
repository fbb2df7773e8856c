import type { Context } from 'koa'
import pLimit from 'p-limit'
import { AppError, invalid } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts'
import type { ReceiptPayload } from '../../core/sms/receipt.ts'
import { bodyBudget } from './body-budget.ts'
import { type BodyLimit, hasBody, readBytes } from './body-bytes.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** A body that was read may take ten times its bytes until it is answered. */
const FROM_ANYONE = bodyBudget(8 * MIB)

export const LOGIN_BODY: BodyLimit = { bytes: 4 * KIB, budget: FROM_ANYONE, unpacking: null }
const RECEIPT_BODY: BodyLimit = { bytes: 64 * KIB, budget: FROM_ANYONE, unpacking: pLimit(1) }
const SIGNED_IN_BODY: BodyLimit = { bytes: MIB, budget: bodyBudget(32 * MIB), unpacking: pLimit(1) }

/** Real receipts have some twenty. */
const MAX_RECEIPT_FIELDS = 1_000

async function textOf({ req, res }: Context, limit: BodyLimit): Promise<string> {
  const text = (await readBytes(req, res, limit)).toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/**
 * The JSON value of the body; an empty object without one. Throws `malformed`, `too_large`, `unsupported_media`, `busy`
 * when too many bodies are being read, and `invalid` when it nests too deep to be read.
 */
export async function jsonBody(ctx: Context, limit: BodyLimit = SIGNED_IN_BODY): Promise<unknown> {
  if (!hasBody(ctx.req)) return {}
  if (!ctx.request.is('application/json', '+json'))
    throw new AppError('unsupported_media', 'The request body must be JSON, with Content-Type: application/json.')
  const text = await textOf(ctx, limit)
  if (text === '') return {}
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof RangeError)
      throw invalid([{ rule: 'max', field: 'body', sentence: 'The request body nests too deep.' }])
    throw new AppError('malformed', 'The request body is not valid JSON.')
  }
}

/**
 * The members of a JSON object or a form, the last of repeated ones; null when the body is too large, has too many of
 * them, or is neither. Throws `busy` when too many bodies are being read.
 */
export async function receiptPayload(ctx: Context): Promise<ReceiptPayload | null> {
  try {
    const text = await textOf(ctx, RECEIPT_BODY)
    const members = membersOf(text, typeof ctx.request.is('application/json', '+json') === 'string')
    return members && { members, size: text.length }
  } catch (error) {
    if (error instanceof AppError && error.code === 'busy') throw error
    return null
  }
}

/** Some send JSON under another type, such as curl without one: no form begins like that. Throws on other JSON. */
function membersOf(text: string, isJsonType: boolean): JsonObject | null {
  const isJson = isJsonType || /^\s*\{/.test(text)
  if (text.split(isJson ? ',' : '&', MAX_RECEIPT_FIELDS + 1).length > MAX_RECEIPT_FIELDS) return null
  if (!isJson) return Object.fromEntries(new URLSearchParams(text))
  const body = parseJson(text)
  return isJsonObject(body) ? body : null
}
