import { stringifyJson } from '../../json.ts'
import type { Message } from '../message.ts'
import type { Gateway, Submission } from '../submission.ts'
import { hexUtf16be, type TextForm } from '../text.ts'
import type { Profile } from './schema.ts'
import { fill, fillTree, type TemplateValues, type Tree } from './template.ts'

/** The part of a message that a profile uses. */
export type Outgoing = Pick<Message, 'to_number' | 'from_sender' | 'message' | 'callback_url'> & {
  readonly reference: string
}

const NUMBER = /^\+?[1-9]\d{1,14}$/

function numberForm(number: string, form: Profile['request']['number']): string {
  if (!NUMBER.test(number)) return number
  const digits = number.replace('+', '')
  return form === 'plus' ? `+${digits}` : digits
}

/** Alphanumeric senders and short codes stay as they are. */
const senderForm = (sender: string, form: Profile['request']['number']): string =>
  sender.startsWith('+') || sender.length > 6 ? numberForm(sender, form) : sender

/** Returns why a provider would not carry this text unchanged; null if it would. */
export function refusedText(
  { request, title }: Profile,
  message: string,
  { parts }: TextForm,
  maxParts = request.maxParts ?? null,
): string | null {
  const characters = [...message].length
  if (maxParts !== null && parts > maxParts) return `takes ${parts} parts, of which ${title} sends ${maxParts}`
  if (request.maxCharacters !== undefined && characters > request.maxCharacters)
    return `has ${characters} characters, of which ${title} takes ${request.maxCharacters}`
  return null
}

/** Returns the values of a profile's placeholders for one message. */
export function templateValues(
  { request, account: declared }: Profile,
  message: Outgoing,
  gateway: Pick<Gateway, 'username' | 'password' | 'callback_token'>,
  account: Readonly<Record<string, string>>,
): TemplateValues {
  const fallbacks = declared.flatMap(({ key, fallback }) => (fallback === undefined ? [] : [[key, fallback] as const]))
  const all = Object.entries({ ...Object.fromEntries(fallbacks), ...account })
  return {
    ...Object.fromEntries(all.map(([key, value]) => [`account.${key}`, value])),
    to: numberForm(message.to_number, request.number),
    from: senderForm(message.from_sender, request.number),
    text: message.message,
    textHexUtf16be: hexUtf16be(message.message),
    reference: message.reference,
    receiptUrl: withQuery(message.callback_url, request.receiptQuery ?? {}),
    username: gateway.username,
    password: gateway.password,
    token: gateway.callback_token,
  }
}

/** The provider fills in its escapes before it requests the URL, so nothing else may look like one. */
function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const added = Object.entries(parameters).map(([name, filledIn]) => `${encodeURIComponent(name)}=${filledIn}`)
  if (added.length === 0) return url
  return `${url.replaceAll('%', '%%')}${url.includes('?') ? '&' : '?'}${added.join('&')}`
}

export type ProviderRequest = Omit<Submission, 'caFile'>

/** Builds the request that hands a message to its provider. `base` is scheme, host and port of the gateway. */
export function providerRequest(
  { request }: Profile,
  base: string,
  values: TemplateValues,
  form: TextForm,
): ProviderRequest {
  const { method, encoding, auth } = request
  const fields = fillTree(fieldsFor(request, form), values) ?? {}
  const path = fill(request.path, values, encodeURIComponent) ?? request.path
  const headers = Object.entries(request.headers ?? {}).flatMap(([name, template]) => {
    const value = fill(template, values)
    return value === null ? [] : [[name.toLowerCase(), value] as const]
  })
  const authorization = auth.kind === 'header' ? fill(auth.value, values) : null
  const query = encoding === 'query' ? `${path.includes('?') ? '&' : '?'}${formOf(fields)}` : ''
  return {
    method,
    url: `${base}/${path.replace(/^\/+/, '')}${query}`,
    headers: {
      ...Object.fromEntries(headers),
      ...(auth.kind === 'header' && authorization !== null ? { [auth.name.toLowerCase()]: authorization } : {}),
      ...(encoding === 'json' ? { 'content-type': 'application/json' } : {}),
      ...(encoding === 'form' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    body: encoding === 'json' ? stringifyJson(fields) : encoding === 'form' ? formOf(fields) : null,
    basic: auth.kind === 'basic' ? { username: values['username'] ?? '', password: values['password'] ?? '' } : null,
  }
}

function fieldsFor({ fields, unicode }: Profile['request'], { alphabet }: TextForm): Readonly<Record<string, Tree>> {
  if (alphabet === 'GSM-7' || !unicode) return fields
  const kept = Object.entries(fields).filter(([name]) => !unicode.remove?.includes(name))
  return { ...Object.fromEntries(kept), ...unicode.set }
}

/** Encodes flat members as a form: texts as they are, everything else as JSON. */
function formOf(fields: Tree): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'string' ? value : stringifyJson(value))
  return form.toString()
}
