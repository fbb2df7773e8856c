import { networkInterfaces } from 'node:os'

/**
 * Returns the URL by which others reach a service at that address. For a service on every address it is the first one
 * that other machines see, else the loopback.
 */
export function urlAt(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? seenAddress() : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function seenAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
}

/** The addresses of this machine, other than the loopback's and those of one link only. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap(each => (each && !each.internal && !/^fe80:/i.test(each.address) ? [each.address] : []))
