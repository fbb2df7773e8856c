import { isJsonObject, type JsonObject, numeral, parseJson } from '../../json.ts'
import type { Digests, Pieces } from '../../ports/digests.ts'
import { bytesOf, hexOf, textOf, utf8 } from './bytes.ts'
import { isForm, queryOf, type ReceiptRequest } from './receipt-request.ts'
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

/** What URL and headers reveal about the sender: it has the token, it does not, or the body must be checked. */
export type Glance = 'proven' | 'refused' | 'open'

/** Decides as much as possible before a body is read: without a secret or a signature, none is read. */
export function glance(
  senders: readonly ProfileSender[],
  proof: Omit<Proof, 'request'> & { readonly request: Head },
): Glance {
  const glances = senders.map(sender => glanceAt(sender, { ...proof, request: { ...proof.request, body: NOTHING } }))
  return glances.includes('proven') ? 'proven' : glances.includes('open') ? 'open' : 'refused'
}

/** A request before its body is read. */
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

/** Returns whether the holder of the token sent this. One of the ways that the profile allows is enough. */
export const isFromProvider = (senders: readonly ProfileSender[], proof: Proof): boolean =>
  senders.some(sender => proves(sender, proof))

function proves(sender: ProfileSender, proof: Proof): boolean {
  const { request, token, digests } = proof
  switch (sender.kind) {
    case 'none':
      return true
    case 'url':
      return isSame(digests, queryOf(request.url).get(TOKEN_PARAMETER) ?? '', token)
    case 'basic':
      return isSame(digests, request.headers['authorization'] ?? '', `Basic ${base64Of(utf8(token))}`)
    case 'hmac':
      return provesByHmac(sender, proof)
    case 'ed25519': {
      const timestamp = request.headers[sender.timestamp] ?? ''
      const signature = bytesOf(request.headers[sender.signature] ?? '', 'base64')
      return (
        isRecent(timestamp, sender.tolerance, proof) &&
        digests.verifyEd25519(bytesOf(token, 'base64'), [timestamp, '|', request.body], signature)
      )
    }
    case 'jwt':
      return provesByJwt(sender, proof)
  }
}

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const isSame = ({ equal }: Digests, received: string, wanted: string): boolean => equal(utf8(received), utf8(wanted))

const isRecent = (timestamp: string, tolerance: number | undefined, { now }: Pick<Proof, 'now'>): boolean =>
  tolerance === undefined || (/^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= tolerance)

type Hmac = Extract<ProfileSender, { kind: 'hmac' }>
type Fields = readonly (readonly [name: string, value: string])[]

/** What a recipe may build its signed message from; each is computed on demand. */
interface Signed {
  readonly url: string
  readonly body: Uint8Array
  fields(): Fields
  header(role: 'nonce' | 'timestamp' | 'id'): string
}

const nameAndValue = (pairs: Fields): string => pairs.map(([name, value]) => name + value).join('')

/** How each recipe builds the message that is signed. */
const MESSAGES: Readonly<Record<(typeof RECIPES)[number], (signed: Signed) => Pieces>> = {
  'url-fields': ({ url, fields }) => [url, nameAndValue(fields())],
  'url-nonce': ({ url, header }) => [bareOf(url), header('nonce')],
  'url-query-fields-nonce': ({ url, fields, header }) => {
    const [query, signed] = [sortedQuery(url), nameAndValue(fields())]
    const between = query && signed ? '.' : ''
    return [bareOf(url), query || signed ? '?' : '', query, between, signed, '.', header('nonce')]
  },
  'body-nonce-timestamp': ({ body, header }) => [body, '.', header('nonce'), '.', header('timestamp')],
  'id-timestamp-body': ({ body, header }) => [header('id'), '.', header('timestamp'), '.', body],
  'name-values': ({ fields }) => fields().flatMap(([name, value]) => [`&${name}=${value.replaceAll(/[&=]/g, '_')}`]),
}

function provesByHmac(sender: Hmac, proof: Proof): boolean {
  const { request, token, digests } = proof
  const [place, name = ''] = sender.signature.split(':')
  const isField = place === 'field'
  let found: Fields | null = null
  const fields = (): Fields => {
    found ??= isField || request.method !== 'GET' ? fieldsOf(request) : []
    return found
  }
  const field = (wanted: string): string => fields().findLast(([each]) => each === wanted)?.[1] ?? ''
  const header = (role: 'nonce' | 'timestamp' | 'id'): string => request.headers[sender.headers?.[role] ?? ''] ?? ''
  const signature = isField ? field(name) : request.headers[name.toLowerCase()]
  if (!signature) return false
  if (sender.tolerance && !isRecent(header('timestamp') || field('timestamp'), sender.tolerance, proof)) return false
  const signatures = signaturesIn(signature).map(each => bytesOf(each, sender.encoding))
  const key = keyOf(sender, token)
  const others = (): Fields => (isField ? fields().filter(([each]) => each !== name) : fields())
  for (const url of urlsOf(request.url)) {
    const message = MESSAGES[sender.recipe]({ url, body: request.body, fields: others, header })
    const wanted = digests.hmac(sender.algorithm, key, message)
    if (signatures.some(each => digests.equal(each, wanted))) return true
  }
  return false
}

const keyOf = ({ keyPrefix }: Hmac, token: string): Uint8Array =>
  keyPrefix !== undefined && token.startsWith(keyPrefix)
    ? bytesOf(token.slice(keyPrefix.length), 'base64')
    : utf8(token)

/** A header may hold several signatures, each after its scheme's version: `v1,abc= v1,def=`. */
const signaturesIn = (header: string): readonly string[] =>
  header.split(/[\s,]+/).filter(each => each !== '' && !/^v\d+$/.test(each))

/** Yields the URL as received and its variants: some providers sign the default port, others leave it out. */
function* urlsOf(url: string): Iterable<string> {
  yield url
  const { protocol, host, port } = new URL(url)
  yield port === ''
    ? url.replace(`//${host}`, `//${host}:${protocol === 'https:' ? 443 : 80}`)
    : url.replace(`//${host}`, `//${host.slice(0, -port.length - 1)}`)
}

const bareOf = (url: string): string => url.replace(/\?.*/s, '')

const byName = (one: readonly [string, string], other: readonly [string, string]): number =>
  one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0

const sortedQuery = (url: string): string =>
  [...queryOf(url)]
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** Returns the members of a form, a JSON object, or the query of a GET, by name. */
function fieldsOf({ method, headers, body, url }: ReceiptRequest): Fields {
  if (method === 'GET') return [...queryOf(url)].sort(byName)
  const text = textOf(body)
  if (isForm(headers)) return [...new URLSearchParams(text)].sort(byName)
  return Object.entries(jsonOf(text) ?? {})
    .map(([name, member]) => [name, numeral(member) ?? ''] as const)
    .sort(byName)
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
  const { alg } = claimsIn(head)
  const algorithm = typeof alg === 'string' && Object.hasOwn(JWT_ALGORITHMS, alg) ? JWT_ALGORITHMS[alg] : undefined
  if (algorithm === undefined || rest.length > 0) return false
  const wanted = digests.hmac(algorithm, utf8(token), [`${head}.${claims}`])
  if (!digests.equal(bytesOf(signature, 'base64'), wanted)) return false
  const payload = claimsIn(claims)
  const { exp, nbf } = payload
  if (typeof exp === 'number' && exp + LEEWAY < now) return false
  if (typeof nbf === 'number' && nbf - LEEWAY > now) return false
  const hash = (data: Uint8Array): string => hexOf(digests.hash('sha256', data))
  const isBound = (claim: string | undefined, data: Uint8Array): boolean =>
    claim === undefined || data.length === 0 || isSame(digests, String(payload[claim] ?? '').toLowerCase(), hash(data))
  return isBound(urlHash, utf8(request.url)) && isBound(bodyHash, request.body)
}

const claimsIn = (encoded: string): JsonObject => jsonOf(textOf(bytesOf(encoded, 'base64'))) ?? {}
