import { isJsonObject, type JsonObject, numeral, parseJson } from '../../json.ts'
import type { Digests } from '../../ports/digests.ts'
import { bytesOf, hexOf, joined, utf8 } from './bytes.ts'
import type { ReceiptRequest } from './receipt-request.ts'
import type { ProfileSender, RECIPES } from './schema.ts'

/** The query parameter of a receipt URL that carries the secret. */
export const TOKEN_PARAMETER = 'token'

export interface Proof {
  readonly request: ReceiptRequest
  /** The gateway's callback token: secret, public key, or `user:password`. */
  readonly token: string
  readonly digests: Digests
  /** Seconds since 1970. */
  readonly now: number
}

/** What its URL and headers tell of a sender: it is the holder of the token, is not, or its body must be seen. */
export type Glance = 'proven' | 'refused' | 'open'

/** Decides what can be decided before a body is read: without a secret or a signature, none is read. */
export function glance(
  senders: readonly ProfileSender[],
  proof: Omit<Proof, 'request'> & { readonly request: Head },
): Glance {
  const told = senders.map(sender => glanceAt(sender, { ...proof, request: { ...proof.request, body: NOTHING } }))
  return told.includes('proven') ? 'proven' : told.includes('open') ? 'open' : 'refused'
}

/** A request whose body has not been read. */
export type Head = Omit<ReceiptRequest, 'body'>

const NOTHING = new Uint8Array()

function glanceAt(sender: ProfileSender, proof: Proof): Glance {
  const { headers } = proof.request
  const isThere = (header: string): boolean => Boolean(headers[header.toLowerCase()])
  switch (sender.kind) {
    case 'none':
    case 'url':
    case 'basic':
      return proves(sender, proof) ? 'proven' : 'refused'
    case 'hmac': {
      const [place, name = ''] = sender.signature.split(':')
      return place === 'field' || isThere(name) ? 'open' : 'refused'
    }
    case 'ed25519':
      return isThere(sender.signature) ? 'open' : 'refused'
    case 'jwt':
      return isThere(sender.header) ? 'open' : 'refused'
  }
}

/** Did the holder of the token send this? One of the ways that the profile allows is enough. */
export const isFromProvider = (senders: readonly ProfileSender[], proof: Proof): boolean =>
  senders.some(sender => proves(sender, proof))

function proves(sender: ProfileSender, proof: Proof): boolean {
  const { request, token, digests } = proof
  switch (sender.kind) {
    case 'none':
      return true
    case 'url':
      return isSame(digests, new URL(request.url).searchParams.get(TOKEN_PARAMETER) ?? '', token)
    case 'basic':
      return isSame(digests, request.headers['authorization'] ?? '', `Basic ${base64Of(utf8(token))}`)
    case 'hmac':
      return provesByHmac(sender, proof)
    case 'ed25519': {
      const timestamp = request.headers[sender.timestamp] ?? ''
      const signature = bytesOf(request.headers[sender.signature] ?? '', 'base64')
      const message = joined(timestamp, '|', request.body)
      return (
        isRecent(timestamp, sender.tolerance, proof) &&
        digests.verifyEd25519(bytesOf(token, 'base64'), message, signature)
      )
    }
    case 'jwt':
      return provesByJwt(sender, proof)
  }
}

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const isSame = ({ equal }: Digests, given: string, wanted: string): boolean => equal(utf8(given), utf8(wanted))

const isRecent = (timestamp: string, tolerance: number | undefined, { now }: Pick<Proof, 'now'>): boolean =>
  tolerance === undefined || (/^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= tolerance)

type Hmac = Extract<ProfileSender, { kind: 'hmac' }>

/** What takes part in a signed message. */
interface Parts {
  readonly url: string
  readonly bare: string
  readonly query: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  readonly nonce: string
  readonly timestamp: string
  readonly id: string
}

type Message = readonly (Uint8Array | string)[]

const nameAndValue = (pairs: Parts['fields']): string => pairs.map(([name, value]) => name + value).join('')

/** The message that each recipe signs. */
const MESSAGES: Readonly<Record<(typeof RECIPES)[number], (parts: Parts) => Message>> = {
  'url-fields': ({ url, fields }) => [url, nameAndValue(fields)],
  'url-nonce': ({ bare, nonce }) => [bare, nonce],
  'url-query-fields-nonce': ({ bare, query, fields, nonce }) => {
    const signed = nameAndValue(fields)
    return [bare, query || signed ? '?' : '', query, query && signed ? '.' : '', signed, '.', nonce]
  },
  'body-nonce-timestamp': ({ body, nonce, timestamp }) => [body, '.', nonce, '.', timestamp],
  'id-timestamp-body': ({ id, timestamp, body }) => [id, '.', timestamp, '.', body],
  'name-values': ({ fields }) => fields.flatMap(([name, value]) => [`&${name}=${value.replaceAll(/[&=]/g, '_')}`]),
}

function provesByHmac(sender: Hmac, proof: Proof): boolean {
  const { request, token, digests } = proof
  const [place, name = ''] = sender.signature.split(':')
  const fields = fieldsOf(request)
  const given = place === 'header' ? request.headers[name.toLowerCase()] : new Map(fields).get(name)
  if (!given) return false
  const header = (role: 'nonce' | 'timestamp' | 'id'): string => request.headers[sender.headers?.[role] ?? ''] ?? ''
  const timestamp = header('timestamp') || (new Map(fields).get('timestamp') ?? '')
  if (!isRecent(timestamp, sender.tolerance, proof)) return false
  const others = fields.filter(([field]) => place !== 'field' || field !== name)
  const key = keyOf(sender, token)
  return urlsOf(request.url).some(url => {
    const [bare = '', query = ''] = url.split(/\?(.*)/s)
    const parts = { url, bare, query: sorted(query), fields: others, body: request.body, timestamp }
    const message = MESSAGES[sender.recipe]({ ...parts, nonce: header('nonce'), id: header('id') })
    const wanted = digests.hmac(sender.algorithm, key, joined(...message))
    return signaturesIn(given).some(each => digests.equal(bytesOf(each, sender.encoding), wanted))
  })
}

const keyOf = ({ keyPrefix }: Hmac, token: string): Uint8Array =>
  keyPrefix !== undefined && token.startsWith(keyPrefix)
    ? bytesOf(token.slice(keyPrefix.length), 'base64')
    : utf8(token)

/** Several may stand in one header, each behind the version of its scheme: `v1,abc= v1,def=`. */
const signaturesIn = (given: string): readonly string[] =>
  given.split(/[\s,]+/).filter(each => each !== '' && !/^v\d+$/.test(each))

/** Some providers sign the default port, others leave it out. */
function urlsOf(url: string): readonly string[] {
  const { protocol, host, port } = new URL(url)
  if (port !== '') return [url, url.replace(`//${host}`, `//${host.slice(0, -port.length - 1)}`)]
  return [url, url.replace(`//${host}`, `//${host}:${protocol === 'https:' ? 443 : 80}`)]
}

const byName = (one: readonly [string, string], other: readonly [string, string]): number =>
  one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0

const sorted = (query: string): string =>
  [...new URLSearchParams(query)]
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** The members of a form, else of a JSON object or of the query, by name. */
function fieldsOf({ method, headers, body, url }: ReceiptRequest): Parts['fields'] {
  const type = headers['content-type'] ?? ''
  if (method === 'GET') return []
  const text = new TextDecoder().decode(body)
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return [...new URLSearchParams(text)].sort(byName)
  const value = jsonOf(text)
  const members = value ? Object.entries(value) : [...new URL(url).searchParams]
  return members.flatMap(([name, member]) => [[name, numeral(member) ?? ''] as const]).sort(byName)
}

function jsonOf(text: string): JsonObject | null {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

type Jwt = Extract<ProfileSender, { kind: 'jwt' }>

const JWT_ALGORITHMS: Readonly<Record<string, 'sha256' | 'sha512'>> = { HS256: 'sha256', HS512: 'sha512' }

/** Seconds that clocks may differ. */
const LEEWAY = 60

function provesByJwt({ header, urlHash, bodyHash }: Jwt, { request, token, digests, now }: Proof): boolean {
  const jwt = (request.headers[header] ?? '').replace(/^Bearer\s+/i, '')
  const [head = '', claims = '', signature = '', ...rest] = jwt.split('.')
  const { alg } = jsonOf(textOf(head)) ?? {}
  const algorithm = typeof alg === 'string' && Object.hasOwn(JWT_ALGORITHMS, alg) ? JWT_ALGORITHMS[alg] : undefined
  if (algorithm === undefined || rest.length > 0) return false
  const wanted = digests.hmac(algorithm, utf8(token), utf8(`${head}.${claims}`))
  if (!digests.equal(bytesOf(signature, 'base64'), wanted)) return false
  const payload = jsonOf(textOf(claims)) ?? {}
  const { exp, nbf } = payload
  if (typeof exp === 'number' && exp + LEEWAY < now) return false
  if (typeof nbf === 'number' && nbf - LEEWAY > now) return false
  const hash = (data: Uint8Array): string => hexOf(digests.hash('sha256', data))
  const isBound = (claim: string | undefined, data: Uint8Array): boolean =>
    claim === undefined || data.length === 0 || isSame(digests, String(payload[claim] ?? '').toLowerCase(), hash(data))
  return isBound(urlHash, utf8(request.url)) && isBound(bodyHash, request.body)
}

const textOf = (encoded: string): string => new TextDecoder().decode(bytesOf(encoded, 'base64'))
