import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { JsonStream } from '../../core/use-cases/records/administer.ts'

/** Sends a body that is JSON text already, whole or streamed. */
export function sendJson(ctx: Context, status: number, json: string | Readable): void {
  ctx.status = status
  ctx.set('content-type', 'application/json; charset=utf-8')
  ctx.body = json
}

/**
 * Sends the envelope of every success. `data` is JSON, whole or in pieces that are read as fast as the client takes
 * them.
 */
export function respond(ctx: Context, status: number, message: string, data?: JsonStream): void {
  const head = `{"message":${JSON.stringify(message)}`
  if (data === undefined) sendJson(ctx, status, `${head}}`)
  else if (typeof data === 'string') sendJson(ctx, status, `${head},"data":${data}}`)
  else sendJson(ctx, status, streamed(ctx, enclosed(`${head},"data":`, data, '}')))
}

/** Sent bytes cannot be taken back, so a list that fails midway is cut off and does not look complete. */
function streamed(ctx: Context, pieces: AsyncIterable<string>): Readable {
  // Strings are counted, not measured: by default 16 of them would wait.
  return Readable.from(pieces, { highWaterMark: 1 }).once('error', () => ctx.res.destroy())
}

async function* enclosed(head: string, data: AsyncIterable<string>, tail: string): AsyncIterable<string> {
  let before = head
  for await (const piece of data) {
    yield before + piece
    before = ''
  }
  yield before + tail
}
