import ipaddr from 'ipaddr.js'
import type { Origin } from '../../../core/use-cases/accounts/security-trail.ts'

/** Returns what identifies a sender: an IPv4 address, or a /64 of IPv6, which is what a subscriber gets. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`
}

export const originAt = (address: string): Origin => ({ address, network: networkOf(address) })
