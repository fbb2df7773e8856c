import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, unzip } from 'node:zlib'
import type { LimitFunction } from 'p-limit'
import { AppError } from '../../../core/errors.ts'
import type { BodyBudget, Share } from './body-budget.ts'

/** The limits of a body. */
export interface BodyLimit {
  /** The most bytes, both compressed and decompressed. */
  readonly bytes: number
  readonly budget: BodyBudget
  /** The queue for decompression, which takes memory and a thread; null if compressed bodies are not accepted. */
  readonly unpacking: LimitFunction | null
}

type Unpack = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: promisify(unzip),
  deflate: promisify(unzip),
  br: promisify(brotliDecompress),
}

/** Every piece costs time and memory, however small, so the pieces of a body must average at least this many bytes. */
const LEAST_PIECE = 16

const sizeOf = (bytes: number): string => (bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1024} KiB`)

const tooLarge = ({ bytes }: BodyLimit): AppError =>
  new AppError('too_large', `The request body is larger than ${sizeOf(bytes)}.`)

const unreadable = (): AppError => new AppError('malformed', 'The request body could not be read.')

const spent = (): AppError =>
  new AppError('busy', 'Too many requests at once; try again in a moment.', { retryAfter: 5 })

const isChunked = ({ headers }: IncomingMessage): boolean => headers['transfer-encoding'] !== undefined

const declaredLength = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

export const hasBody = (request: IncomingMessage): boolean => isChunked(request) || declaredLength(request) > 0

/** The most bytes read of a body that nobody needs, so that its connection can be used again. */
const MAX_UNREAD = 65_536

/** True if more of the request may follow than is worth reading. */
export const isEndless = (request: IncomingMessage): boolean =>
  !request.complete && (isChunked(request) || declaredLength(request) > MAX_UNREAD)

/**
 * Reads a body and decompresses it. Its bytes count in the budget until the response is closed. Throws `too_large`,
 * `unsupported_media`, `malformed`, and `busy` if the budget is spent.
 */
export async function readBytes(request: IncomingMessage, response: ServerResponse, limit: BodyLimit): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const [unpack, { unpacking }] = [UNPACK[encoding], limit]
  if (encoding !== 'identity' && !(unpack && unpacking))
    throw new AppError('unsupported_media', 'The encoding of the request body is not supported.')
  if (declaredLength(request) > limit.bytes) throw tooLarge(limit)
  if (request.destroyed) throw unreadable()
  const bytes = await gather(request, response, limit)
  return unpack && unpacking ? unpacking(() => unpacked(bytes, unpack, limit)) : bytes
}

/** Decodes UTF-8 without its byte-order mark. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

async function unpacked(bytes: Buffer, unpack: Unpack, limit: BodyLimit): Promise<Buffer> {
  try {
    return await unpack(bytes, { maxOutputLength: limit.bytes })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? tooLarge(limit) : unreadable()
  }
}

/** Collects pieces in one buffer that doubles as needed: a list of them would take a hundred bytes for each. */
function collecting(limit: BodyLimit, share: Share) {
  let bytes: Buffer = Buffer.alloc(0)
  let [length, pieces] = [0, 0]
  const grow = (room: number): void => {
    if (!share.take(room - bytes.length)) throw spent()
    bytes = Buffer.concat([bytes.subarray(0, length)], room)
  }
  return {
    add: (piece: Buffer): void => {
      const needed = length + piece.length
      if (needed > limit.bytes) throw tooLarge(limit)
      if (++pieces * LEAST_PIECE > limit.bytes) throw unreadable()
      if (needed > bytes.length) grow(pieces === 1 ? needed : Math.min(limit.bytes, Math.max(needed, 2 * bytes.length)))
      piece.copy(bytes, length)
      length = needed
    },
    whole: (): Buffer => bytes.subarray(0, length),
  }
}

function gather(request: IncomingMessage, response: ServerResponse, limit: BodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const share = limit.budget.open(() => fail(spent()))
    const collected = collecting(limit, share)
    response.once('close', share.release)

    const end = (): void => {
      share.settle()
      request.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    const fail = (error: unknown): void => {
      end()
      share.release()
      request.resume()
      reject(error)
    }
    const onData = (piece: Buffer): void => {
      try {
        collected.add(piece)
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = (): void => {
      end()
      resolve(collected.whole())
    }
    const onClose = (): void => fail(unreadable())
    request.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}
