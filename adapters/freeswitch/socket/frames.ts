import { AppError } from '../../../core/errors.ts'

/** A message of the event socket: headers, and a body if they give its length. */
export interface Frame {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

const MOST_HEADERS = 64 * 1024
/** A hundred thousand registrations are about 40 MB. */
const MOST_BODY = 128 * 1024 * 1024
const END = Buffer.from('\n\n')

/**
 * Returns a function that splits input into frames, wherever it is cut. It throws `unavailable` if the peer is no
 * event socket.
 */
export function frameReader(): (piece: Buffer) => Frame[] {
  let pieces: Buffer[] = []
  let length = 0
  /** Of the frame being read; null while reading its headers. */
  let headers: ReadonlyMap<string, string> | null = null
  let bodyLength = 0

  const whole = (): Buffer => {
    const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, length)
    pieces = [bytes]
    return bytes
  }
  const keep = (bytes: Buffer): void => {
    pieces = [bytes]
    length = bytes.length
  }
  const next = (): Frame | null => {
    if (headers === null) {
      const bytes = whole()
      const end = bytes.indexOf(END)
      if (end === -1) {
        if (length > MOST_HEADERS) throw strange('its headers do not end')
        return null
      }
      headers = readHeaders(bytes.toString('utf8', 0, end))
      bodyLength = lengthIn(headers)
      keep(bytes.subarray(end + END.length))
    }
    if (length < bodyLength) return null
    const bytes = whole()
    const frame = { headers, body: bytes.toString('utf8', 0, bodyLength) }
    keep(bytes.subarray(bodyLength))
    headers = null
    return frame
  }
  return piece => {
    pieces.push(piece)
    length += piece.length
    const frames: Frame[] = []
    for (let frame = next(); frame; frame = next()) frames.push(frame)
    return frames
  }
}

function readHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of text.split('\n').filter(each => each !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) throw strange('a header has no name')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

function lengthIn(headers: ReadonlyMap<string, string>): number {
  const written = headers.get('content-length') ?? '0'
  const length = /^\d{1,12}$/.test(written) ? Number(written) : Number.NaN
  if (!(length <= MOST_BODY)) throw strange('a body has no readable length')
  return length
}

const strange = (why: string): AppError =>
  new AppError('unavailable', `What answers there is not an event socket of FreeSWITCH: ${why}.`)
