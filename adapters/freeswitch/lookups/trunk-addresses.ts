import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Trunk } from '../../../core/switching/directory.ts'

const KEPT_MS = 60_000
/** A call must not wait for a name server that is down. */
const PATIENCE_MS = 1_000

/** Finds the trunks with an address. */
export interface TrunkAddresses {
  /** Returns the names of the trunks whose host has this address. */
  trunksAt(address: string, trunks: readonly Trunk[]): Promise<readonly string[]>
}

type Resolve = (host: string) => Promise<readonly string[]>

const resolved: Resolve = async host => (await lookup(host, { all: true })).map(({ address }) => address)

/** Looks names up, and caches the results for a minute; if a lookup fails, the former result stays. */
export function trunkAddresses(
  resolve: Resolve = resolved,
  now: () => number = () => performance.now(),
): TrunkAddresses {
  const cache = new Map<string, { readonly addresses: readonly string[]; readonly at: number }>()
  const addressesOf = async (host: string): Promise<readonly string[]> => {
    if (isIP(host)) return [host]
    const before = cache.get(host)
    if (before && now() - before.at < KEPT_MS) return before.addresses
    const waiting = new Promise<null>(resolveNull => setTimeout(resolveNull, PATIENCE_MS, null).unref())
    const found = await Promise.race([resolve(host).catch(() => null), waiting])
    const addresses = found ?? before?.addresses ?? []
    cache.set(host, { addresses, at: now() })
    return addresses
  }
  return {
    trunksAt: async (address, trunks) => {
      const found = await Promise.all(
        trunks.map(async ({ name, host }) => ((await addressesOf(host)).includes(address) ? [name] : [])),
      )
      return found.flat()
    },
  }
}
