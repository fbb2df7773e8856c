import type { Context } from 'koa'
import pLimit from 'p-limit'
import { AppError, invalid } from '../../../core/errors.ts'
import { parseJson } from '../../../core/json.ts'
import { bodyBudget } from './body-budget.ts'
import { type BodyLimit, hasBody, readBytes, textOf } from './body-bytes.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** A body may take ten times its bytes in memory until it is answered. */
const FROM_ANYONE = bodyBudget(8 * MIB)

export const LOGIN_BODY: BodyLimit = { bytes: 4 * KIB, budget: FROM_ANYONE, unpacking: null }
export const RECEIPT_BODY: BodyLimit = { bytes: 64 * KIB, budget: FROM_ANYONE, unpacking: pLimit(1) }
/** For senders who are authenticated by a token before their body is read. */
const MOUNTED_BUDGET = bodyBudget(64 * MIB)
const SIGNED_IN_BODY: BodyLimit = { bytes: MIB, budget: bodyBudget(32 * MIB), unpacking: pLimit(1) }

/**
 * Returns the text of a body of at most that many bytes. Throws `too_large`, `unsupported_media`, and `busy` as below.
 */
export const mountedBody = async (ctx: Context, bytes: number): Promise<string> =>
  hasBody(ctx.req) ? textOf(await readBytes(ctx.req, ctx.res, { bytes, budget: MOUNTED_BUDGET, unpacking: null })) : ''

/**
 * Parses a JSON body; returns an empty object if there is none. Throws `malformed`, `too_large`, `unsupported_media`,
 * `busy` if too many bodies are being read, and `invalid` if it nests too deep.
 */
export async function jsonBody(ctx: Context, limit: BodyLimit = SIGNED_IN_BODY): Promise<unknown> {
  if (!hasBody(ctx.req)) return {}
  if (!ctx.request.is('application/json', '+json'))
    throw new AppError('unsupported_media', 'The request body must be JSON, with Content-Type: application/json.')
  const text = textOf(await readBytes(ctx.req, ctx.res, limit))
  if (text === '') return {}
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof RangeError)
      throw invalid([{ rule: 'max', field: 'body', sentence: 'The request body nests too deep.' }])
    throw new AppError('malformed', 'The request body is not valid JSON.')
  }
}
