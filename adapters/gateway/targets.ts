import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Ranges that no SMS gateway lives in, and that a request must never be tricked into. */
const FORBIDDEN = new Set(['linkLocal', 'multicast', 'broadcast'])

/** Where clouds keep a machine's credentials, apart from link-local 169.254.169.254. */
const METADATA = new Set(['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'])

/** An IPv6 address that only carries an IPv4 one is judged by that one. */
function unwrapped(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6052') return new ipaddr.IPv4(bytes.slice(12))
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

/** Why a connection to this resolved address is refused, or null when it is not. */
export function refusal(address: string): string | null {
  if (!ipaddr.isValid(address)) return `${address} is no IP address`
  const target = unwrapped(ipaddr.parse(address))
  if (METADATA.has(target.toString())) return `${address} is a cloud metadata address`
  return FORBIDDEN.has(target.range())
    ? `${address} is a ${target.range().replace(/[A-Z]/, letter => `-${letter.toLowerCase()}`)} address`
    : null
}

const forbidden = (reason: string): Error => new Error(`The gateway's address is not allowed: ${reason}.`)

/** Resolves a name as the system does and fails when any of its addresses is refused. */
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

/** Throws if a URL's host is an address that is refused: no lookup is made for those. */
export function assertAllowed(hostname: string): void {
  const literal = hostname.replace(/^\[|\]$/g, '')
  const reason = ipaddr.isValid(literal) ? refusal(literal) : null
  if (reason) throw forbidden(reason)
}
