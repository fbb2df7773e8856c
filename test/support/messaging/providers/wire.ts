import assert from 'node:assert/strict'
import type { Submitted } from '../gateway.ts'
import type { Call } from './provider.ts'

/** Requests and bodies as providers write and read them. */

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const JSON_TYPE = { 'content-type': 'application/json' }

export const form = (members: Record<string, string>): string => new URLSearchParams(members).toString()
export const post = (url: string, headers: Record<string, string>, body: string): Call => ({
  method: 'POST',
  url,
  headers,
  body,
})
export const postJson = (
  url: string,
  value: unknown,
  headers: (body: string) => Record<string, string> = () => ({}),
): Call => {
  const body = JSON.stringify(value)
  return post(url, { ...JSON_TYPE, ...headers(body) }, body)
}
export const withQuery = (url: string, members: Record<string, string>): string =>
  `${url}${url.includes('?') ? '&' : '?'}${form(members)}`

export const fieldsOf = ({ text, path, headers }: Submitted): Record<string, string> => {
  if (headers['content-type']?.startsWith('application/x-www-form'))
    return Object.fromEntries(new URLSearchParams(text))
  return text === '' ? Object.fromEntries(new URL(path, 'http://x').searchParams) : JSON.parse(text)
}

/** Returns the text at a place in the JSON of a submission. */
export function textAt({ text }: Submitted, ...path: readonly string[]): string {
  let value: unknown = JSON.parse(text)
  for (const name of path) {
    assert.ok(typeof value === 'object' && value !== null && Object.hasOwn(value, name), `no ${name} in ${text}`)
    value = Object.entries(value).find(([each]) => each === name)?.[1]
  }
  assert.ok(typeof value === 'string', `no text at ${path.join('.')} in ${text}`)
  return value
}
