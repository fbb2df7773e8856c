import { isJsonObject, numeral, parseJson } from '../json.ts'
import { choiceKey, type Keys, key, textKey } from '../resources/references/keys.ts'

/** Where a receipt carries the gateway's callback token. */
export interface TokenPlace {
  readonly in: 'query' | 'header'
  readonly name: string
}

/** How a gateway's `meta` departs from the documented behaviour. */
export interface GatewayOptions {
  readonly dlrLevel: unknown
  readonly dlrMethod: unknown
  /** The text/plain answer to a receipt that matched; null for the usual answer. */
  readonly dlrAck: string | null
  /** Statuses in lower case that are merged without changing the message's state. */
  readonly interimStatuses: ReadonlySet<string>
  /**
   * null: no token is required. unreadable: one is, but `dlr_token_in` does not say where, so every receipt is
   * refused.
   */
  readonly tokenIn: TokenPlace | 'unreadable' | null
  /** The name of the provider's profile; null for the documented behaviour. */
  readonly profile: string | null
  /** What the provider's profile needs besides name and password. */
  readonly account: Readonly<Record<string, string>>
  /** True if our own reference goes out in the receipt URL. With a profile, it always does. */
  readonly sendsReference: boolean
  /** The most parts of a text, instead of the profile's limit; null if not set. */
  readonly maxParts: number | null
  /** A PEM file of certificates that vouch for the gateway, in addition to the system's. */
  readonly caFile: string | null
}

/** What rules read in a gateway's `meta`. */
export const GATEWAY_KEYS: Keys = {
  dlr_level: key('a number such as 2', value => /^\d+$/.test(numeral(value) ?? '')),
  dlr_method: choiceKey('GET', 'POST'),
  dlr_ack: textKey('text', () => true),
  interim_statuses: key(
    'a list of statuses, such as ["enroute"]',
    value => Array.isArray(value) && value.every(status => numeral(status) !== null),
  ),
  dlr_token_in: textKey(
    'query:NAME or header:NAME; until then every receipt is refused',
    text => tokenPlace(text) !== 'unreadable',
    { value: 'query:token' },
  ),
  profile: textKey('the name of a profile, such as "twilio"', name => name !== ''),
  account: key(
    'an object of texts',
    value => isJsonObject(value) && Object.values(value).every(each => typeof each === 'string'),
  ),
  dlr_reference: key('true or false', value => typeof value === 'boolean'),
  max_parts: key('a number from 1 to 255', value => partsIn(value) !== null),
  ca_file: textKey('the path of a file', path => path !== ''),
}

const partsIn = (value: unknown): number | null => {
  const parts = Number(numeral(value))
  return Number.isInteger(parts) && parts >= 1 && parts <= 255 ? parts : null
}

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const TOKEN_PLACE = /^(query|header):([A-Za-z0-9_.-]{1,100})$/

/** Reads `meta`, which is JSON text or null. */
export function gatewayOptions(meta: string | null): GatewayOptions {
  const parsed = meta === null ? {} : parseJson(meta)
  const options = isJsonObject(parsed) ? parsed : {}
  const interim = options.interim_statuses
  return {
    dlrLevel: options.dlr_level ?? 2,
    dlrMethod: options.dlr_method ?? 'POST',
    dlrAck: typeof options.dlr_ack === 'string' ? options.dlr_ack : null,
    interimStatuses: new Set(
      (Array.isArray(interim) ? interim : []).flatMap(status => numeral(status)?.toLowerCase() ?? []),
    ),
    tokenIn: tokenPlace(options.dlr_token_in),
    profile: textIn(options.profile),
    account: accountIn(options.account),
    sendsReference: options.dlr_reference === true,
    maxParts: partsIn(options.max_parts),
    caFile: textIn(options.ca_file),
  }
}

const accountIn = (account: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isJsonObject(account) ? account : {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )

function tokenPlace(value: unknown): GatewayOptions['tokenIn'] {
  if (value === undefined || value === null) return null
  const parts = typeof value === 'string' ? TOKEN_PLACE.exec(value) : null
  if (!parts?.[2]) return 'unreadable'
  return { in: parts[1] === 'query' ? 'query' : 'header', name: parts[2] }
}
