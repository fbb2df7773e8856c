import { isLosslessNumber } from 'lossless-json'
import type { Redact } from './message.ts'

const MARK = '[redacted]'

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0')

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** The bounds keep a reply full of backslashes from being tried in every way: JSON in JSON in JSON has three. */
const ESCAPES = '\\\\{0,3}'

/** A pattern for one character as it is, URL-encoded, escaped in JSON, or in HTML. */
function anyForm(character: string): string {
  const json = JSON.stringify(character).slice(1, -1)
  const units = Array.from({ length: character.length }, (_, i) => `u${hex(character.charCodeAt(i), 4)}`)
  const code = character.codePointAt(0) ?? 0
  return `(?:${[
    ESCAPES + escaped(character),
    ...(/^\\[a-z]$/.test(json) ? [`\\\\{1,4}${json.slice(1)}`] : []),
    units.map(unit => `\\\\{1,4}${unit}`).join(''),
    [...new TextEncoder().encode(character)].map(byte => `%${hex(byte, 2)}`).join(''),
    ...(character === ' ' ? ['\\+'] : []),
    ...(ENTITIES[character] ? [`&${ENTITIES[character]};`] : []),
    `&#0{0,4}${code};`,
    `&#x0{0,4}${hex(code, 0)};`,
  ].join('|')})`
}

/** A pattern for bytes in base64, with or without its padding, whichever way its characters are written. */
const anyBase64 = (text: string): string =>
  `${[...base64(text).replace(/=+$/, '')].map(anyForm).join('')}${anyForm('=')}{0,2}`

/** Ways in which a gateway may write the credentials back: as Basic Auth, in base64, or character by character. */
function spellings(username: string, password: string): string {
  const characters = password.match(/\\+|[^\\]/gu) ?? []
  const spelled = characters.map(part =>
    part.startsWith('\\')
      ? `(?:\\\\{${part.length},${part.length * 4}}|(?:%5c|&#92;|&#x5c;){${part.length}})`
      : anyForm(part),
  )
  // In base64, a short password is a piece of a word like any other.
  const encoded = password.length < SHORT ? [] : [anyBase64(password)]
  return [anyBase64(`${username}:${password}`), ...encoded, spelled.join('')].join('|')
}

const SHORT = 4
const REMEMBERED = 100
const patterns = new Map<string, RegExp>()

function patternOf(username: string, password: string): RegExp {
  const key = `${username}\0${password}`
  const known = patterns.get(key)
  if (known) return known
  if (patterns.size >= REMEMBERED) patterns.clear()
  const pattern = new RegExp(spellings(username, password), 'giu')
  patterns.set(key, pattern)
  return pattern
}

const NAMES = 'password|passwd|pwd|passphrase|secret|api[-_]?key|api[-_]?secret|authorization'
const NAMED = new RegExp(`^(?:${NAMES})$`, 'i')
const ASSIGNED = new RegExp(`\\b((?:${NAMES})=)[^&\\s"']+`, 'gi')
const BASIC = /\b(Basic )[A-Za-z0-9+/]{4,}={0,2}/gi

/**
 * Takes out of any JSON value what stands in the place of a password, whatever it is. For what anybody may have sent:
 * comparing that with a secret would tell whoever sees the result when a guess was right.
 */
export const maskNamed: Redact = value => {
  if (typeof value === 'string') return value.replace(ASSIGNED, `$1${MARK}`).replace(BASIC, `$1${MARK}`)
  if (Array.isArray(value)) return value.map(maskNamed)
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, NAMED.test(key) ? MARK : maskNamed(member)]),
  )
}

/** A function that takes the gateway's password out of any JSON value: texts, keys and numbers, at any depth. */
export function redactor({ username, password }: { username: string; password: string }): Redact {
  const pattern = patternOf(username, password)
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
