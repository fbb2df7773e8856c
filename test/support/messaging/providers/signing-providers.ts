import { generateKeyPairSync, sign } from 'node:crypto'
import { ACCOUNT, type Provider, TOKEN } from './provider.ts'
import { hmac, jwt, seconds, sha256 } from './signing.ts'
import { FORM, fieldsOf, form, post, postJson, textAt, withQuery } from './wire.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const TELNYX_KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64')
const BIRD_KEY = Buffer.from('a signing secret')

/** Providers whose receipts prove their origin, by a signature or by our credentials. */
export const SIGNING: readonly Provider[] = [
  {
    profile: 'twilio',
    gateway: { ...ACCOUNT, callback_token: ACCOUNT.password },
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
      const signature = hmac('sha1', ACCOUNT.password, message).toString('base64')
      return post(url, { ...FORM, 'x-twilio-signature': signature }, form(fields))
    },
    words: { delivered: 'delivered', failed: 'undelivered', pending: 'sent' },
    byUrlOnly: true,
  },
  {
    profile: 'vonage-messages',
    gateway: ACCOUNT,
    status: 202,
    accepts: id => JSON.stringify({ message_uuid: id }),
    refusal: { status: 401, body: '{"title":"Unauthorized","detail":"No such key"}', error: /HTTP 401: No such key/ },
    read: submitted => ({
      text: textAt(submitted, 'text'),
      url: textAt(submitted, 'webhook_url'),
      reference: textAt(submitted, 'client_ref'),
    }),
    receipt: ({ id, reference, url }, word) =>
      postJson(url, { message_uuid: id, status: word, client_ref: reference, channel: 'sms' }, body => ({
        authorization: `Bearer ${jwt(TOKEN, { iat: Number(seconds()), payload_hash: sha256(body) })}`,
      })),
    words: { delivered: 'delivered', failed: 'rejected', pending: 'submitted' },
  },
  {
    profile: 'plivo',
    gateway: { ...ACCOUNT, callback_token: ACCOUNT.password },
    status: 202,
    accepts: id => JSON.stringify({ api_id: 'a', message: 'message(s) queued', message_uuid: [id] }),
    refusal: { status: 202, body: '{"api_id":"a","invalid_number":["1"]}', error: /Plivo refused the message: 1$/ },
    read: submitted => ({ text: textAt(submitted, 'text'), url: textAt(submitted, 'url'), reference: null }),
    receipt: ({ id, url }, word) => {
      const fields = { MessageUUID: id, Status: word, To: '1' }
      const signed = `${url}.MessageUUID${id}Status${word}To1.n1`
      const signature = hmac('sha256', ACCOUNT.password, signed).toString('base64')
      return post(url, { ...FORM, 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': 'n1' }, form(fields))
    },
    words: { delivered: 'delivered', failed: 'undelivered', pending: 'queued' },
    byUrlOnly: true,
  },
  {
    profile: 'telnyx',
    gateway: { ...ACCOUNT, callback_token: TELNYX_KEY },
    accepts: id => JSON.stringify({ data: { id, to: [{ status: 'queued' }], parts: 1 } }),
    refusal: {
      status: 422,
      body: '{"errors":[{"code":"10002","title":"Invalid","detail":"Invalid to"}]}',
      error: /HTTP 422: Invalid to/,
    },
    read: submitted => ({ text: textAt(submitted, 'text'), url: textAt(submitted, 'webhook_url'), reference: null }),
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
    profile: 'bandwidth',
    gateway: {
      ...ACCOUNT,
      callback_token: 'user:secret',
      meta: { account: { account_id: '9', application_id: 'app' } },
    },
    status: 202,
    accepts: id => JSON.stringify({ id, segmentCount: 1 }),
    refusal: { status: 400, body: '{"type":"x","description":"No such number"}', error: /HTTP 400: No such number/ },
    read: submitted => ({ text: textAt(submitted, 'text'), url: null, reference: textAt(submitted, 'tag') }),
    receipt: ({ id, reference, url }, word) =>
      postJson(url, [{ type: word, time: 't', description: 'd', message: { id, tag: reference } }], () => ({
        authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
      })),
    words: { delivered: 'message-delivered', failed: 'message-failed', pending: 'message-sending' },
  },
  {
    profile: 'bird',
    gateway: { ...ACCOUNT, callback_token: `whsec_${BIRD_KEY.toString('base64')}` },
    status: 202,
    accepts: id => JSON.stringify({ id, status: 'accepted' }),
    refusal: { status: 422, body: '{"error":{"type":"t","message":"Too long"}}', error: /HTTP 422: Too long/ },
    read: submitted => ({
      text: textAt(submitted, 'text'),
      url: null,
      reference: textAt(submitted, 'metadata', 'ref'),
    }),
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
    gateway: ACCOUNT,
    status: 201,
    accepts: (id, reference) => JSON.stringify({ id, reference, recipients: { items: [{ status: 'sent' }] } }),
    refusal: { status: 422, body: '{"errors":[{"code":9,"description":"no recipients"}]}', error: /no recipients/ },
    read: submitted => ({
      text: textAt(submitted, 'body'),
      url: textAt(submitted, 'reportUrl'),
      reference: textAt(submitted, 'reference'),
    }),
    receipt: ({ id, reference, url }, word) => {
      const signed = withQuery(url, { id, reference, recipient: '1', status: word })
      const claims = { iss: 'MessageBird', exp: Number(seconds()) + 60, url_hash: sha256(signed) }
      return { method: 'GET', url: signed, headers: { 'messagebird-signature-jwt': jwt(TOKEN, claims) }, body: '' }
    },
    words: { delivered: 'delivered', failed: 'delivery_failed', pending: 'buffered' },
  },
]
