import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { Submitted } from './gateway.ts'

/** Providers of SMS as they behave on the wire: what they answer to a send, and how they send receipts. */

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a message is known by: the provider's id, and what we sent along. */
export interface Known {
  readonly id: string
  readonly reference: string
  /** Where its receipts go. */
  readonly url: string
}

export interface Provider {
  readonly profile: string
  readonly gateway: Readonly<Record<string, unknown>>
  /** The body of a success. */
  accepts(id: string, reference: string): string
  readonly status?: number
  /** An answer that says that the message does not go out, and what is said of it. */
  readonly refusal: { readonly status: number; readonly body: string; readonly error: RegExp }
  /** Reads the request as its server does. */
  read(submitted: Submitted): { readonly text: string; readonly url: string | null; readonly reference: string | null }
  receipt(known: Known, word: string): Call
  readonly words: { readonly delivered: string; readonly failed: string; readonly pending: string }
  /** Receipts carry no id of the provider. */
  readonly hasNoId?: true
  /** Receipts say nothing that we sent along, apart from their URL. */
  readonly byUrlOnly?: true
}

const TOKEN = 'a-secret-of-receipts'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }

const form = (members: Record<string, string>): string => new URLSearchParams(members).toString()
const hmac = (algorithm: string, key: string | Buffer, text: string): Buffer =>
  createHmac(algorithm, key).update(text).digest()
const post = (url: string, headers: Record<string, string>, body: string): Call => ({
  method: 'POST',
  url,
  headers,
  body,
})
const postJson = (
  url: string,
  value: unknown,
  headers: (body: string) => Record<string, string> = () => ({}),
): Call => {
  const body = JSON.stringify(value)
  return post(url, { ...JSON_TYPE, ...headers(body) }, body)
}
const seconds = (): string => String(Math.floor(Date.now() / 1000))
const withQuery = (url: string, members: Record<string, string>): string =>
  `${url}${url.includes('?') ? '&' : '?'}${form(members)}`

const jwt = (key: string, claims: unknown): string => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${hmac('sha256', key, signed).toString('base64url')}`
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const TELNYX_KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64')
const BIRD_KEY = Buffer.from('a signing secret')

const fromHex = (hex: string): string =>
  String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map(unit => Number.parseInt(unit, 16)))

/** What Jasmin makes of its fields: `coding` 8 takes hexadecimal digits alone, 0 loses what GSM 03.38 lacks. */
function jasmin(fields: Record<string, string>): ReturnType<Provider['read']> {
  const hex = fields['hex-content']
  const text = fields.coding === '8' && hex ? fromHex(hex) : (fields.content ?? '').replaceAll(/[^ -~€ñé\n]/gu, '?')
  return { text, url: fields['dlr-url'] ?? null, reference: null }
}

const fieldsOf = ({ text, path, headers }: Submitted): Record<string, string> => {
  if (headers['content-type']?.startsWith('application/x-www-form'))
    return Object.fromEntries(new URLSearchParams(text))
  return text === '' ? Object.fromEntries(new URL(path, 'http://x').searchParams) : JSON.parse(text)
}

// biome-ignore lint/suspicious/noExplicitAny: each provider's JSON has a shape of its own
const jsonOf = ({ text }: Submitted): any => JSON.parse(text)

const jasminReceipt = ({ id, url }: Known, word: string): Call =>
  post(url, FORM, form({ id, level: '2', message_status: word, connector: 'c', err: '000', text: 'Hello' }))
const JASMIN_WORDS = { delivered: 'DELIVRD', failed: 'UNDELIV', pending: 'ESME_ROK' }
const BASIC = { username: 'AC1', password: 'pa55-w0rd', callback_token: TOKEN }

export const PROVIDERS: readonly Provider[] = [
  {
    profile: 'jasmin-rest',
    gateway: BASIC,
    accepts: id => JSON.stringify({ data: `Success "${id}` }),
    refusal: {
      status: 403,
      body: '{"message":"Error \\"Authentication failure for username:AC1"}',
      error: /Authentic/,
    },
    read: submitted => jasmin(fieldsOf(submitted)),
    receipt: jasminReceipt,
    words: JASMIN_WORDS,
    byUrlOnly: true,
  },
  {
    profile: 'jasmin-http',
    gateway: BASIC,
    accepts: id => `Success "${id}"`,
    refusal: { status: 412, body: 'Error "No route found"', error: /HTTP 412: No route found/ },
    read: submitted => jasmin(fieldsOf(submitted)),
    receipt: jasminReceipt,
    words: JASMIN_WORDS,
    byUrlOnly: true,
  },
  {
    profile: 'kannel',
    gateway: BASIC,
    status: 202,
    accepts: () => '0: Accepted for delivery',
    refusal: { status: 403, body: 'Authorization failed for sendsms', error: /HTTP 403: Authorization failed/ },
    read: submitted => {
      const { text = '', coding, charset, 'dlr-url': url = '' } = fieldsOf(submitted)
      const shown = coding === '2' && charset === 'UTF-8' ? text : text.replaceAll(/[^ -~€ñé\n]/gu, '?')
      return { text: shown, url, reference: null }
    },
    receipt: ({ url }, word) => {
      const filled = url.replaceAll(/%([%dAFIiT])/g, (_, code) =>
        code === '%' ? '%' : code === 'd' ? word : `${code}1`,
      )
      return { method: 'GET', url: filled, headers: {}, body: '' }
    },
    words: { delivered: '1', failed: '2', pending: '8' },
    hasNoId: true,
    byUrlOnly: true,
  },
  {
    profile: 'twilio',
    gateway: { ...BASIC, callback_token: BASIC.password },
    status: 201,
    accepts: id => JSON.stringify({ sid: id, status: 'queued', error_code: null }),
    refusal: { status: 400, body: '{"code":21211,"message":"Invalid To","status":400}', error: /HTTP 400: Invalid To/ },
    read: submitted => {
      const { Body: text = '', StatusCallback: url = '' } = fieldsOf(submitted)
      return { text, url, reference: null }
    },
    receipt: ({ id, url }, word) => {
      const fields = { MessageStatus: word, MessageSid: id, SmsSid: id, To: '+1555' }
      const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
      const message = url + sorted.map(([name, value]) => name + value).join('')
      const signature = hmac('sha1', BASIC.password, message).toString('base64')
      return post(url, { ...FORM, 'x-twilio-signature': signature }, form(fields))
    },
    words: { delivered: 'delivered', failed: 'undelivered', pending: 'sent' },
    byUrlOnly: true,
  },
  {
    profile: 'vonage-sms',
    gateway: BASIC,
    accepts: id => JSON.stringify({ 'message-count': '1', messages: [{ 'message-id': id, status: '0' }] }),
    refusal: {
      status: 200,
      body: '{"message-count":"1","messages":[{"status":"4","error-text":"Bad Credentials"}]}',
      error: /Bad Credentials/,
    },
    read: submitted => {
      const { text = '', type, callback = '', 'client-ref': reference = '' } = fieldsOf(submitted)
      return { text: type === 'unicode' ? text : text.replaceAll(/[^ -~€ñé\n]/gu, '?'), url: callback, reference }
    },
    receipt: ({ id, reference, url }, word) =>
      postJson(url, { messageId: id, status: word, 'err-code': '0', 'client-ref': reference }),
    words: { delivered: 'delivered', failed: 'expired', pending: 'buffered' },
  },
  {
    profile: 'vonage-messages',
    gateway: BASIC,
    status: 202,
    accepts: id => JSON.stringify({ message_uuid: id }),
    refusal: { status: 401, body: '{"title":"Unauthorized","detail":"No such key"}', error: /HTTP 401: No such key/ },
    read: submitted => {
      const { text, webhook_url: url, client_ref: reference } = jsonOf(submitted)
      return { text, url, reference }
    },
    receipt: ({ id, reference, url }, word) =>
      postJson(url, { message_uuid: id, status: word, client_ref: reference, channel: 'sms' }, body => ({
        authorization: `Bearer ${jwt(TOKEN, { iat: Number(seconds()), payload_hash: sha256(body) })}`,
      })),
    words: { delivered: 'delivered', failed: 'rejected', pending: 'submitted' },
  },
  {
    profile: 'plivo',
    gateway: { ...BASIC, callback_token: BASIC.password },
    status: 202,
    accepts: id => JSON.stringify({ api_id: 'a', message: 'message(s) queued', message_uuid: [id] }),
    refusal: { status: 202, body: '{"api_id":"a","invalid_number":["1"]}', error: /Plivo refused the message: 1$/ },
    read: submitted => {
      const { text, url } = jsonOf(submitted)
      return { text, url, reference: null }
    },
    receipt: ({ id, url }, word) => {
      const fields = { MessageUUID: id, Status: word, To: '1' }
      const signed = `${url}.MessageUUID${id}Status${word}To1.n1`
      const signature = hmac('sha256', BASIC.password, signed).toString('base64')
      return post(url, { ...FORM, 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': 'n1' }, form(fields))
    },
    words: { delivered: 'delivered', failed: 'undelivered', pending: 'queued' },
    byUrlOnly: true,
  },
  {
    profile: 'telnyx',
    gateway: { ...BASIC, callback_token: TELNYX_KEY },
    accepts: id => JSON.stringify({ data: { id, to: [{ status: 'queued' }], parts: 1 } }),
    refusal: {
      status: 422,
      body: '{"errors":[{"code":"10002","title":"Invalid","detail":"Invalid to"}]}',
      error: /HTTP 422: Invalid to/,
    },
    read: submitted => {
      const { text, webhook_url: url } = jsonOf(submitted)
      return { text, url, reference: null }
    },
    receipt: ({ id, url }, word) => {
      const payload = { id, to: [{ phone_number: '+1', status: word }], errors: [] }
      const event_type = word === 'sent' ? 'message.sent' : 'message.finalized'
      return postJson(url, { data: { record_type: 'event', id: 'event', event_type, payload } }, body => {
        const timestamp = seconds()
        const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64')
        return { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp }
      })
    },
    words: { delivered: 'delivered', failed: 'delivery_failed', pending: 'sent' },
    byUrlOnly: true,
  },
  {
    profile: 'infobip',
    gateway: BASIC,
    accepts: (_, reference) =>
      JSON.stringify({ messages: [{ messageId: reference, status: { groupName: 'PENDING' }, destination: '1' }] }),
    refusal: {
      status: 200,
      body: '{"messages":[{"messageId":"x","status":{"groupName":"REJECTED","name":"REJECTED_NETWORK"}}]}',
      error: /REJECTED_NETWORK/,
    },
    read: submitted => {
      const [{ content, webhooks }] = jsonOf(submitted).messages
      return { text: content.text, url: webhooks.delivery.url, reference: webhooks.callbackData }
    },
    receipt: ({ reference, url }, word) =>
      postJson(url, {
        results: [{ messageId: reference, status: { groupName: word, name: `${word}_X` }, callbackData: reference }],
      }),
    words: { delivered: 'DELIVERED', failed: 'UNDELIVERABLE', pending: 'PENDING' },
    hasNoId: true,
  },
  {
    profile: 'bandwidth',
    gateway: { ...BASIC, callback_token: 'user:secret', meta: { account: { account_id: '9', application_id: 'app' } } },
    status: 202,
    accepts: id => JSON.stringify({ id, segmentCount: 1 }),
    refusal: { status: 400, body: '{"type":"x","description":"No such number"}', error: /HTTP 400: No such number/ },
    read: submitted => {
      const { text, tag } = jsonOf(submitted)
      return { text, url: null, reference: tag }
    },
    receipt: ({ id, reference, url }, word) =>
      postJson(url, [{ type: word, time: 't', description: 'd', message: { id, tag: reference } }], () => ({
        authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
      })),
    words: { delivered: 'message-delivered', failed: 'message-failed', pending: 'message-sending' },
  },
  {
    profile: 'sinch',
    gateway: { ...BASIC, meta: { account: { service_plan_id: 'plan' } } },
    status: 201,
    accepts: id => JSON.stringify({ id, to: ['1'] }),
    refusal: { status: 400, body: '{"code":"syntax","text":"Bad number"}', error: /HTTP 400: Bad number/ },
    read: submitted => {
      const { body: text, callback_url: url, client_reference: reference } = jsonOf(submitted)
      return { text, url, reference }
    },
    receipt: ({ id, reference, url }, word) =>
      postJson(url, {
        ...{ type: 'recipient_delivery_report_sms', batch_id: id, recipient: '1', status: word, code: 0 },
        client_reference: reference,
      }),
    words: { delivered: 'Delivered', failed: 'Rejected', pending: 'Dispatched' },
  },
  {
    profile: 'bird',
    gateway: { ...BASIC, callback_token: `whsec_${BIRD_KEY.toString('base64')}` },
    status: 202,
    accepts: id => JSON.stringify({ id, status: 'accepted' }),
    refusal: { status: 422, body: '{"error":{"type":"t","message":"Too long"}}', error: /HTTP 422: Too long/ },
    read: submitted => {
      const { text, metadata } = jsonOf(submitted)
      return { text, url: null, reference: metadata.ref }
    },
    receipt: ({ id, reference, url }, word) =>
      postJson(url, { type: word, data: { sms_id: id, metadata: { ref: reference } } }, body => {
        const timestamp = seconds()
        const signature = hmac('sha256', BIRD_KEY, `id1.${timestamp}.${body}`).toString('base64')
        return { 'webhook-id': 'id1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
      }),
    words: { delivered: 'sms.delivered', failed: 'sms.failed', pending: 'sms.sent' },
  },
  {
    profile: 'messagebird',
    gateway: BASIC,
    status: 201,
    accepts: (id, reference) => JSON.stringify({ id, reference, recipients: { items: [{ status: 'sent' }] } }),
    refusal: { status: 422, body: '{"errors":[{"code":9,"description":"no recipients"}]}', error: /no recipients/ },
    read: submitted => {
      const { body: text, reportUrl: url, reference } = jsonOf(submitted)
      return { text, url, reference }
    },
    receipt: ({ id, reference, url }, word) => {
      const signed = withQuery(url, { id, reference, recipient: '1', status: word })
      const claims = { iss: 'MessageBird', exp: Number(seconds()) + 60, url_hash: sha256(signed) }
      return { method: 'GET', url: signed, headers: { 'messagebird-signature-jwt': jwt(TOKEN, claims) }, body: '' }
    },
    words: { delivered: 'delivered', failed: 'delivery_failed', pending: 'buffered' },
  },
  {
    profile: 'clicksend',
    gateway: BASIC,
    accepts: id => JSON.stringify({ http_code: 200, data: { messages: [{ message_id: id, status: 'SUCCESS' }] } }),
    refusal: {
      status: 200,
      body: '{"http_code":200,"response_msg":"x","data":{"messages":[{"status":"INSUFFICIENT_CREDIT"}]}}',
      error: /INSUFFICIENT_CREDIT/,
    },
    read: submitted => {
      const [{ body: text, custom_string: reference }] = jsonOf(submitted).messages
      return { text, url: null, reference }
    },
    receipt: ({ id, reference, url }, word) =>
      post(url, FORM, form({ message_id: id, status_code: word, custom_string: reference })),
    words: { delivered: '201', failed: '301', pending: '200' },
  },
  {
    profile: 'smsc-ru',
    gateway: BASIC,
    accepts: (_, reference) => JSON.stringify({ id: Number(reference), cnt: 1 }),
    refusal: { status: 200, body: '{"error":"invalid number","error_code":7}', error: /invalid number/ },
    read: submitted => {
      const { mes: text = '', id: reference = '', charset } = fieldsOf(submitted)
      return { text: charset === 'utf-8' ? text : '', url: null, reference }
    },
    receipt: ({ reference, url }, word) => post(url, FORM, form({ id: reference, phone: '1', status: word })),
    words: { delivered: '1', failed: '20', pending: '-1' },
    hasNoId: true,
  },
]

export const providerOf = (profile: string): Provider => {
  const found = PROVIDERS.find(each => each.profile === profile)
  if (!found) throw new Error(`There is no provider ${profile} to play.`)
  return found
}
