import { isLosslessNumber } from 'lossless-json'
import type { Redact } from './message.ts'

export const MARK = '[redacted]'

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0')

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** The bound keeps a reply full of backslashes from being tried in every way: JSON in JSON in JSON has three. */
const ESCAPES = '\\\\{0,3}'

/** A pattern for one character in any form: plain, URL-encoded, escaped in JSON, or in HTML. */
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

/** A pattern for bytes in base64, with or without padding, with its characters in any form. */
const anyBase64 = (text: string): string =>
  `${[...base64(text).replace(/=+$/, '')].map(anyForm).join('')}${anyForm('=')}{0,2}`

/** The ways in which a gateway may echo the credentials: as Basic Auth, in base64, or character by character. */
function spellings(username: string, password: string): string {
  const characters = password.match(/\\+|[^\\]/gu) ?? []
  const spelled = characters.map(part =>
    part.startsWith('\\')
      ? `(?:\\\\{${part.length},${part.length * 4}}|(?:%5c|&#92;|&#x5c;){${part.length}})`
      : anyForm(part),
  )
  // The base64 of a short password could be part of any word.
  const encoded = password.length < SHORT ? [] : [anyBase64(password)]
  return [anyBase64(`${username}:${password}`), ...encoded, spelled.join('')].join('|')
}

const SHORT = 4
const REMEMBERED = 100
const patterns = new Map<string, RegExp>()

function patternOf(username: string, password: string): RegExp {
  const key = `${username}\0${password}`
  const cached = patterns.get(key)
  if (cached) return cached
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
 * Masks values in password fields of any JSON value, whatever they are. For data from unknown senders: comparing it
 * with a secret would confirm a right guess.
 */
export const maskNamed: Redact = value => {
  if (typeof value === 'string') return value.replace(ASSIGNED, `$1${MARK}`).replace(BASIC, `$1${MARK}`)
  if (Array.isArray(value)) return value.map(maskNamed)
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, NAMED.test(key) ? MARK : maskNamed(member)]),
  )
}

/** Returns a function that masks the gateway's password in any JSON value: in texts, keys and numbers, at any depth. */
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
