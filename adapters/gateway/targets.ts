import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Address ranges that hold no SMS gateway, and that a request must never be tricked into. */
const FORBIDDEN = new Set(['linkLocal', 'multicast', 'broadcast'])

/** Where clouds keep a machine's credentials, besides link-local 169.254.169.254. */
const METADATA = new Set(['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'])

/** Returns the IPv4 address that an IPv6 address embeds, if there is one. */
function unwrapped(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6052') return new ipaddr.IPv4(bytes.slice(12))
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

/** Returns why a connection to this resolved address is refused; null if it is allowed. */
export function refusal(address: string): string | null {
  if (!ipaddr.isValid(address)) return `${address} is not an IP address`
  const target = unwrapped(ipaddr.parse(address))
  if (METADATA.has(target.toString())) return `${address} is a cloud metadata address`
  return FORBIDDEN.has(target.range())
    ? `${address} is a ${target.range().replace(/[A-Z]/, letter => `-${letter.toLowerCase()}`)} address`
    : null
}

const forbidden = (reason: string): Error => new Error(`The gateway's address is not allowed: ${reason}.`)

/** Resolves a name like the system, but fails if any of its addresses is refused. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [])
    const reason = addresses.map(({ address }) => refusal(address)).find(found => found !== null)
    if (reason) return callback(forbidden(reason), [])
    const [first] = addresses
    if (options.all || !first) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

/** Throws if a URL's host is a refused address: Node looks up names only. */
export function assertAllowed(hostname: string): void {
  const literal = hostname.replace(/^\[|\]$/g, '')
  const reason = ipaddr.isValid(literal) ? refusal(literal) : null
  if (reason) throw forbidden(reason)
}
