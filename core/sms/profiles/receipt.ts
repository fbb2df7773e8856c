import { isJsonObject, type JsonObject, parseJson } from '../../json.ts'
import { classOf, type StatusClass } from '../status-class.ts'
import { textOf } from './bytes.ts'
import { firstTextAt, holds, textsAt, valuesAt } from './path.ts'
import { isForm, queryOf, type ReceiptRequest } from './receipt-request.ts'
import type { Profile } from './schema.ts'
import { TOKEN_PARAMETER } from './verify-sender.ts'

export interface ProviderReceipt {
  /** The provider's ids for the message, in the profile's order; empty if it gave none. */
  readonly ids: readonly string[]
  readonly reference: string | null
  /** The provider's word in lower case. */
  readonly status: string
  readonly class: StatusClass
  readonly error: string | null
  readonly payload: JsonObject
}

/** The query parameter of a receipt URL that carries our own reference. */
export const REFERENCE_PARAMETER = 'ref'

const MAX_WORD = 255

/** Some providers send a hundred receipts at once, with some twenty members each. */
const MOST_MEMBERS = 5_000
const MOST_FIELDS = 1_000

/** True if the request would take long to parse, such as thousands of members in 64 KiB. */
export function isCrowded({ url, headers, body }: ReceiptRequest): boolean {
  const [separator, most] = isForm(headers) ? ['&', MOST_FIELDS] : [',', MOST_MEMBERS]
  return count(body, separator) > most || url.split('&', MOST_FIELDS + 2).length > MOST_FIELDS + 1
}

function count(bytes: Uint8Array, character: string): number {
  const wanted = character.charCodeAt(0)
  let found = 0
  for (const byte of bytes) if (byte === wanted) found++
  return found
}

/** Returns the receipts in a request: none if it cannot be parsed, or holds nothing that the profile accepts. */
export function readReceipts({ receipt }: Profile, request: ReceiptRequest): readonly ProviderReceipt[] {
  if (!receipt.methods.some(method => method === request.method)) return []
  const query = queryOf(request.url)
  const content = contentOf(receipt.encodings, request)
  return itemsIn(content, receipt.items)
    .filter(item => (receipt.require ?? []).every(test => holds(item, test)))
    .flatMap(item => readItem(receipt, item, query) ?? [])
}

function readItem(
  { id, reference, status, table, error }: Profile['receipt'],
  item: JsonObject,
  query: URLSearchParams,
): ProviderReceipt | null {
  const words = status.flatMap(path => textsAt(item, path)).map(word => word.slice(0, MAX_WORD).toLowerCase())
  const word = words.find(each => classOf(each, table) !== null) ?? words[0]
  const ids = (id ?? []).flatMap(path => textsAt(item, path)).filter(each => each.length <= MAX_WORD)
  const ours = firstTextAt(item, reference ?? []) ?? query.get(REFERENCE_PARAMETER)
  if (word === undefined || (ids.length === 0 && !ours)) return null
  return {
    ids,
    reference: ours || null,
    status: word,
    class: classOf(word, table) ?? 'pending',
    error: firstTextAt(item, error ?? []),
    payload: item,
  }
}

function itemsIn(content: unknown, path: string | undefined): readonly JsonObject[] {
  const found = path === undefined ? [content] : valuesAt(content, path)
  return found.flat(1).filter(isJsonObject)
}

/** Parses a request by its content type; uses the query if the profile reads no body, or the body is empty. */
function contentOf(encodings: Profile['receipt']['encodings'], { headers, body, url }: ReceiptRequest): unknown {
  const text = textOf(body)
  if (text.trim() === '' || encodings.every(each => each === 'query'))
    return encodings.includes('query') ? fieldsIn(queryOf(url)) : null
  if (isForm(headers)) return encodings.includes('form') ? fieldsIn(new URLSearchParams(text)) : null
  if (!encodings.includes('json')) return null
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

/** Our own parameters of a receipt URL are not the provider's data. */
const OURS: readonly string[] = [REFERENCE_PARAMETER, TOKEN_PARAMETER]

const fieldsIn = (parameters: URLSearchParams): JsonObject =>
  Object.fromEntries([...parameters].filter(([name]) => !OURS.includes(name)))
