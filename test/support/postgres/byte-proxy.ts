import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ByteProxy {
  /** The address of the same database, by way of the proxy. */
  readonly address: string
  /**
   * Cuts the next connection whose client sends this text, once the server has got it and begins to answer; the client
   * still gets this many bytes of what the server sends first.
   */
  cutAfter(text: string, passed?: number): void
  /** Cuts all connections, and takes no new ones until `admit`. */
  refuse(): void
  admit(): void
  /** Passes nothing on until `admit`, as a network does that has lost its route: no connection ends. */
  silence(): void
  /** Passes nothing more on for the present connections, as a firewall does that has forgotten them. */
  forget(): void
  close(): Promise<void>
}

const SOCKET = '.s.PGSQL.5432'

/** Passes bytes between clients and the server of an address, which is on a socket. */
export async function byteProxy(address: string): Promise<ByteProxy> {
  const url = new URL(address.replace('@/', '@localhost/'))
  const server = url.searchParams.get('host')
  if (server === null) throw new Error('The proxy needs a server on a socket.')
  const folder = mkdtempSync(join(tmpdir(), 'tl-proxy-'))
  const open = new Set<Socket>()
  const forgotten = new Set<Socket>()
  let awaited: { readonly text: string; readonly passed: number } | null = null
  let isRefusing = false
  let isSilent = false
  const proxy = createServer(client => {
    if (isRefusing) return void client.destroy()
    const upstream = connect(join(server, SOCKET))
    let doomedAfter: number | null = null
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', bytes => {
      if (isSilent || forgotten.has(client)) return
      if (awaited !== null && bytes.includes(awaited.text)) {
        doomedAfter = awaited.passed
        awaited = null
      }
      upstream.write(bytes)
    })
    upstream.on('data', bytes => {
      if (isSilent || forgotten.has(client)) return
      if (doomedAfter === null) client.write(bytes)
      else if (doomedAfter > 0) client.end(bytes.subarray(0, doomedAfter))
      else client.destroy()
    })
  })
  await new Promise<void>(resolve => proxy.listen(join(folder, SOCKET), resolve))
  url.searchParams.set('host', folder)
  return {
    address: url.href.replace('@localhost/', '@/'),
    cutAfter: (text, passed = 0) => {
      awaited = { text, passed }
    },
    refuse: () => {
      isRefusing = true
      for (const socket of open) socket.destroy()
    },
    admit: () => {
      isRefusing = false
      isSilent = false
    },
    silence: () => {
      for (const socket of open) forgotten.add(socket)
      isSilent = true
    },
    forget: () => {
      for (const socket of open) forgotten.add(socket)
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise(resolve => proxy.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
