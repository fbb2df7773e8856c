import { request } from 'node:http'
import { connect } from 'node:net'

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A request that fetch would not send: it has only the headers that HTTP needs, or is raw bytes. */
export function rawRequest(
  url: string,
  sent: Sent | { readonly bytes: string },
): Promise<{ status: number; text: string }> {
  return 'bytes' in sent ? exchange(url, sent.bytes) : send(url, sent)
}

function send(url: string, { method, path, headers = {}, body = '' }: Sent): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const length = body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const outgoing = request({ hostname, port, method, path, headers: { ...headers, ...length } }, async response => {
      const pieces: Buffer[] = []
      for await (const piece of response) pieces.push(Buffer.from(piece))
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') })
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

function exchange(url: string, bytes: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', piece => {
      text += piece
    })
    socket.once('error', reject)
    socket.once('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }))
  })
}
