import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { Kind } from '../kind.ts'
import { hostileText, mutated } from '../mutate.ts'
import { sendBytes } from '../raw.ts'
import { daemonOf, type World } from '../world.ts'

const AT_ONCE = 8

const PACKED: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: bytes => bytes,
  gzip: bytes => gzipSync(bytes),
  deflate: bytes => deflateSync(bytes),
  br: bytes => brotliCompressSync(bytes),
  'deflate, raw': bytes => deflateRawSync(bytes),
  'twice gzip': bytes => gzipSync(gzipSync(bytes)),
}

const contents: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: mutated(
      fc.constantFrom(
        ...[
          '{"message_id":"gw-1","status":"DELIVRD"}',
          '{"email":"a@b.example","password":"guess"}',
          'id=gw-1&status=1',
        ],
        '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\ngw-1\r\n--x--\r\n',
      ),
    ),
  },
  // Small when compressed, large when not.
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('[', '1,', '{"a":', ' ', '\r\n--x\r\n', '&a=b', '\\u0000')
      .map(piece => piece.repeat(2_000_000 / piece.length)),
  },
)

interface Framed {
  readonly bytes: Buffer
  /** Whether the answer is due at once. */
  readonly isWhole: boolean
}

const chunks = (body: Buffer, size: string): Buffer =>
  Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])

const hex = (body: Buffer): string => body.length.toString(16)

/** Ways to mark the end of a body, right and wrong. */
const FRAMINGS: Readonly<Record<string, (head: string, body: Buffer) => Framed>> = {
  length: (head, body) => whole(`${head}Content-Length: ${body.length}\r\n\r\n`, body),
  chunked: (head, body) => whole(`${head}Transfer-Encoding: chunked\r\n\r\n`, chunks(body, hex(body))),
  'length too small': (head, body) => part(`${head}Content-Length: ${body.length >> 1}\r\n\r\n`, body),
  'length too large': (head, body) => part(`${head}Content-Length: ${body.length + 9}\r\n\r\n`, body),
  'two lengths': (head, body) => part(`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, body),
  'length and chunked': (head, body) =>
    part(`${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`, chunks(body, hex(body))),
  'wrong size': (head, body) => part(`${head}Transfer-Encoding: chunked\r\n\r\n`, chunks(body, 'fffffffffffffffff')),
  'no size': (head, body) => part(`${head}Transfer-Encoding: chunked\r\n\r\n`, chunks(body, ' ;a="')),
  'no such coding': (head, body) => part(`${head}Transfer-Encoding: gzip, chunked, x\r\n\r\n`, body),
  none: (head, body) => part(`${head}\r\n`, body),
}

function whole(head: string, body: Buffer): Framed {
  return { bytes: Buffer.concat([Buffer.from(head, 'latin1'), body]), isWhole: true }
}

function part(head: string, body: Buffer): Framed {
  return { ...whole(head, body), isWhole: false }
}

const headers = fc.array(
  fc.oneof(
    fc.constantFrom(
      'Accept-Encoding: br;q=x',
      'Connection: keep-alive, x',
      'X-Forwarded-For: 1.2.3.4, ::1',
      'Range: x',
    ),
    fc.constantFrom('Cookie: trunkline_session=%00', 'Upgrade: websocket', 'Via: 1.1 x', 'Expect: 100-continue'),
    hostileText.map(text => `X-Odd: ${text.replace(/[^\x20-\x7e]/g, '')}`),
  ),
  { maxLength: 3 },
)

const sendings: fc.Arbitrary<Framed> = fc
  .record({
    path: fc.constantFrom(
      ...['/webhooks/gateway/1/dlr', '/api/sms-gateways/1/dlr?id=gw-1', '/api/sms-gateways/99/dlr'],
      ...['/api/admin/login', '/api/admin/logout', '/api/tenants', '/healthz', '/docs', '*'],
    ),
    method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'PUT', 'GET'),
    type: fc.constantFrom(
      ...[
        'application/json',
        'application/json; charset=utf-16',
        'application/x-www-form-urlencoded',
        'text/plain',
        '',
      ],
      ...['multipart/form-data; boundary=x', 'multipart/form-data', 'multipart/form-data; boundary="', '/'],
    ),
    encoding: fc.constantFrom('', ...Object.keys(PACKED), 'x-gzip', 'gzip, br', 'GZIP', 'klingon'),
    packing: fc.constantFrom(...Object.keys(PACKED)),
    isHonest: fc.boolean(),
    flipped: fc.option(fc.nat({ max: 60 }), { freq: 3, nil: null }),
    framing: fc.oneof(fc.constantFrom('length', 'chunked'), fc.constantFrom(...Object.keys(FRAMINGS))),
    content: contents,
    headers,
  })
  .map(({ path, method, type, encoding, packing, isHonest, flipped, framing, content, headers }) => {
    const pack = PACKED[isHonest ? encoding : packing] ?? PACKED['identity']
    const body = Buffer.from(pack?.(Buffer.from(content)) ?? '')
    if (flipped !== null && flipped < body.length) body[flipped] = 255 - (body[flipped] ?? 0)
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: x',
      ...(type === '' ? [] : [`Content-Type: ${type}`]),
      ...(encoding === '' ? [] : [`Content-Encoding: ${encoding}`]),
      ...headers,
      '',
    ]
    return FRAMINGS[framing]?.(head.join('\r\n'), body) ?? whole('', body)
  })

const wrongIn = ({ bytes, isWhole }: Framed, status: number | null): string | null => {
  const isAnswered = status !== null && status > 0
  if (isAnswered ? status < 500 || status === 503 : !isWhole) return null
  const shown = bytes.toString('latin1').slice(0, 600)
  return `${isAnswered ? `answered with ${status}` : 'no answer came'}\n  ${JSON.stringify(shown)}`
}

/** Requests as bytes, with valid and invalid compression and framing, without a login. */
export function encodings(world: World): Kind {
  return {
    name: 'encodings',
    count: 200,
    // The security trail notes a failed login.
    rowsPerInput: 1,
    subject: daemonOf(world),
    play: async (seed, count) => {
      const problems: string[] = []
      const batch = fc.sample(sendings, { seed, numRuns: count }).values()
      const worker = async (): Promise<void> => {
        for (const framed of batch) {
          const problem = wrongIn(framed, await sendBytes(world.daemon.url, framed.bytes, framed.isWhole))
          if (problem) problems.push(problem)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      return problems
    },
  }
}
