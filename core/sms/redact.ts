import { isLosslessNumber } from 'lossless-json'
import type { Redact } from './message.ts'

const MARK = '[redacted]'

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** Every way in which a gateway may write the credentials back: plain, URL-encoded, in JSON, as Basic Auth. */
function spellings(username: string, password: string): string[] {
  const encoded = encodeURIComponent(password)
  return [
    password,
    encoded,
    encoded.replaceAll('%20', '+'),
    JSON.stringify(password).slice(1, -1),
    base64(`${username}:${password}`),
  ]
}

/** A function that takes the gateway's password out of any JSON value: texts, keys and numbers, at any depth. */
export function redactor({ username, password }: { username: string; password: string }): Redact {
  const alternatives = [...new Set(spellings(username, password))].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(alternatives.map(escaped).join('|'), 'gi')
  const clean = (text: string): string => text.replace(pattern, MARK)
  const redact: Redact = value => {
    if (typeof value === 'string') return clean(value)
    if (typeof value === 'number') return clean(String(value)) === String(value) ? value : MARK
    if (isLosslessNumber(value)) return clean(value.value) === value.value ? value : MARK
    if (Array.isArray(value)) return value.map(redact)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [clean(key), redact(member)]))
  }
  return redact
}
