import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'
import type { Mount, MountedRequest, MountedResponse } from '../../../core/ports/switching/mounts.ts'

/** The user name that FreeSWITCH sends with the token. */
export const FREESWITCH_USER = 'freeswitch'

export interface MountParts {
  readonly token: string
  /** Addresses and networks (`10.0.0.0/8`) that may send requests. */
  readonly allowed: readonly string[]
  /** Called for each refused request. */
  onRefused(why: 'token' | 'address', address: string): void
  /** Called with the error that kept a request from being answered. */
  onFailure(error: unknown): void
}

const KIB = 1024

export const LOOKUP_PATH = '/freeswitch/xml'

/** The path for mod_xml_curl's requests, whose forms `answer` answers. */
export const lookupMount = (parts: MountParts, answer: (form: string) => Promise<string>): Mount =>
  mount(parts, LOOKUP_PATH, 64 * KIB, answer)

/** The path for mod_json_cdr's posts, which `store` stores durably. */
export const recordMount = (parts: MountParts, store: (record: string) => Promise<void>): Mount =>
  mount(parts, '/freeswitch/cdr', 1024 * KIB, async record => {
    await store(record)
    return ''
  })

function mount(parts: MountParts, path: string, largest: number, act: (body: string) => Promise<string>): Mount {
  const refusal = admission(parts)
  return {
    path,
    largest,
    answer: async request => {
      const refused = refusal(request)
      if (refused) return refused
      try {
        return { status: 200, type: 'text/xml; charset=utf-8', body: await act(await request.body()) }
      } catch (error) {
        parts.onFailure(error)
        return { status: 500, type: 'text/plain', body: '' }
      }
    },
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns why a request is refused, before its body is read; null if it is not. */
function admission({ token, allowed, onRefused }: MountParts): (request: MountedRequest) => MountedResponse | null {
  const addresses = blockList(allowed)
  const expected = digest(`Basic ${Buffer.from(`${FREESWITCH_USER}:${token}`).toString('base64')}`)
  return ({ address, header }) => {
    const own = address.replace(/^::ffff:/, '')
    // A forwarded request may come from anywhere; FreeSWITCH uses no proxy.
    const isPassedOn = header('x-forwarded-for') !== undefined || header('forwarded') !== undefined
    if (isPassedOn || !addresses.check(own, isIPv6(own) ? 'ipv6' : 'ipv4')) {
      onRefused('address', own)
      return { status: 403, type: 'text/plain', body: '' }
    }
    if (timingSafeEqual(digest(header('authorization') ?? ''), expected)) return null
    onRefused('token', own)
    return { status: 401, headers: { 'www-authenticate': 'Basic' }, type: 'text/plain', body: '' }
  }
}

function blockList(allowed: readonly string[]): BlockList {
  const list = new BlockList()
  for (const each of allowed) {
    const [address = '', length] = each.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(length), family)
  }
  return list
}
