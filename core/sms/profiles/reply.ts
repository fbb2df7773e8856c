import { parseJson } from '../../json.ts'
import { holds, textsAt, valuesAt } from './path.ts'
import type { Profile } from './schema.ts'

/** What a provider's reply says. `ids` belong to one message; there are several if each part has one. */
export type ProviderReply =
  | { readonly isAccepted: true; readonly ids: readonly string[] }
  | { readonly isAccepted: false; readonly error: string }

const MAX_ID = 255
const MAX_ERROR = 300

type Found = Profile['reply']['error'][number]

/** Reads a reply by the profile. The body is parsed as JSON if possible, else it is text. */
export function readReply({ reply, title }: Profile, status: number, body: string): ProviderReply {
  const value = jsonOrText(body)
  const isOk = reply.ok ? reply.ok.includes(status) : status >= 200 && status <= 299
  if (isOk && (reply.tests ?? []).every(test => holds(value, test)))
    return { isAccepted: true, ids: reply.id === 'none' ? [] : idsIn(value, reply.id) }
  const said = reply.error.flatMap(place => textsOf(value, place)).at(0)
  const line = said?.replace(/\s+/g, ' ').trim() ?? ''
  const detail = line.length > MAX_ERROR ? `${line.slice(0, MAX_ERROR)}…` : line
  const reason = isOk ? `${title} refused the message` : `HTTP ${status}`
  return { isAccepted: false, error: detail ? `${reason}: ${detail}` : reason }
}

const idsIn = (value: unknown, place: Found): string[] => [
  ...new Set(textsOf(value, place).filter(id => id.length <= MAX_ID)),
]

function textsOf(value: unknown, place: Found): readonly string[] {
  if (!('pattern' in place)) return textsAt(value, place.path)
  const pattern = new RegExp(place.pattern, 'u')
  return valuesAt(value, place.path ?? '').flatMap(each => {
    const [, first] = typeof each === 'string' ? (pattern.exec(each) ?? []) : []
    return first ? [first] : []
  })
}

function jsonOrText(body: string): unknown {
  try {
    return parseJson(body)
  } catch {
    return body
  }
}
