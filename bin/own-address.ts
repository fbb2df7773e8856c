import { networkInterfaces } from 'node:os'

/**
 * The URL by which others reach a service that listens there. One that listens on every address goes by the first that
 * other machines see, else by the loopback.
 */
export function urlAt(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? seenAddress() : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function seenAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
}
