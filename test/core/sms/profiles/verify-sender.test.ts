import assert from 'node:assert/strict'
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { nodeDigests } from '../../../../adapters/system/digests.ts'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import type { ReceiptRequest } from '../../../../core/sms/profiles/receipt-request.ts'
import { isFromProvider } from '../../../../core/sms/profiles/verify-sender.ts'
import { profileNamed } from './profile-named.ts'

const NOW = 1_790_000_000
const BASE = 'https://pbx.example.com/api/sms-gateways/7/dlr'

interface Signed {
  readonly request: ReceiptRequest
  readonly token: string
}

const request = (
  text: string,
  headers: Record<string, string>,
  { url = `${BASE}?ref=u1`, method = 'POST' }: { url?: string; method?: string } = {},
): ReceiptRequest => ({ method, url, headers, body: new TextEncoder().encode(text) })

const hmac = (algorithm: string, key: string | Buffer, text: string): Buffer =>
  createHmac(algorithm, key).update(text).digest()

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }

const jwt = (key: string, claims: unknown, header: unknown = { alg: 'HS256', typ: 'JWT' }): string => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${hmac('sha256', key, signed).toString('base64url')}`
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const telnyxKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64')
const birdKey = Buffer.from('a signing secret')

/** A receipt that each provider signs in its own way. */
const SIGNED: Readonly<Record<string, () => Signed>> = {
  twilio: () => {
    const text = 'MessageStatus=sent&MessageSid=SM1&To=%2B1555'
    const message = `${BASE}?ref=u1MessageSidSM1MessageStatussentTo+1555`
    const signature = hmac('sha1', 'secret', message).toString('base64')
    return { token: 'secret', request: request(text, { ...FORM, 'x-twilio-signature': signature }) }
  },
  plivo: () => {
    const message = `${BASE}?ref=u1.MessageUUIDaStatussent.n1`
    const signature = hmac('sha256', 'secret', message).toString('base64')
    const headers = { ...FORM, 'x-plivo-signature-v3': `other,${signature}`, 'x-plivo-signature-v3-nonce': 'n1' }
    return { token: 'secret', request: request('Status=sent&MessageUUID=a', headers) }
  },
  telnyx: () => {
    const text = '{"data":{}}'
    const signature = sign(null, Buffer.from(`${NOW}|${text}`), privateKey).toString('base64')
    const headers = { ...JSON_TYPE, 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': String(NOW) }
    return { token: telnyxKey, request: request(text, headers) }
  },
  sinch: () => {
    const text = '{"batch_id":"1"}'
    const signature = hmac('sha256', 'secret', `${text}.n1.${NOW}`).toString('base64')
    const headers = {
      ...JSON_TYPE,
      'x-sinch-webhook-signature': signature,
      'x-sinch-webhook-signature-nonce': 'n1',
      'x-sinch-webhook-signature-timestamp': String(NOW),
    }
    return { token: 'secret', request: request(text, headers) }
  },
  bird: () => {
    const text = '{"type":"sms.sent"}'
    const signature = hmac('sha256', birdKey, `id1.${NOW}.${text}`).toString('base64')
    const headers = {
      ...JSON_TYPE,
      'webhook-id': 'id1',
      'webhook-timestamp': String(NOW),
      'webhook-signature': `v1,b3RoZXI= v1,${signature}`,
    }
    return { token: `whsec_${birdKey.toString('base64')}`, request: request(text, headers) }
  },
  'vonage-sms': () => {
    const signed = `&messageId=0A&status=a_b&timestamp=${NOW}`
    const sig = hmac('sha256', 'secret', signed).toString('hex').toUpperCase()
    return { token: 'secret', request: request(`status=a%26b&messageId=0A&timestamp=${NOW}&sig=${sig}`, FORM) }
  },
  'vonage-messages': () => {
    const text = '{"message_uuid":"a"}'
    const authorization = `Bearer ${jwt('secret', { iat: NOW, payload_hash: sha256(text) })}`
    return { token: 'secret', request: request(text, { ...JSON_TYPE, authorization }) }
  },
  messagebird: () => {
    const url = `${BASE}?id=1&status=sent`
    const headers = { 'messagebird-signature-jwt': jwt('secret', { exp: NOW + 60, url_hash: sha256(url) }) }
    return { token: 'secret', request: request('', headers, { url, method: 'GET' }) }
  },
  bandwidth: () => {
    const authorization = `Basic ${Buffer.from('user:secret').toString('base64')}`
    return { token: 'user:secret', request: request('[]', { ...JSON_TYPE, authorization }) }
  },
}

const byUrl = (): Signed => ({ token: 'secret', request: request('a=1', FORM, { url: `${BASE}?token=secret` }) })

const passes = (name: string, { request, token }: Signed, now = NOW): boolean =>
  isFromProvider(profileNamed(name).sender, { request, token, digests: nodeDigests(), now })

describe('the sender of a receipt', () => {
  for (const { name, title } of BUILT_IN) {
    const signed = (SIGNED[name] ?? byUrl)()
    it(`of ${title} is known by its signature or secret`, () => {
      assert.equal(passes(name, signed), true)
      assert.equal(passes(name, { ...signed, token: 'another' }), false)
      const bare = request('a=1', FORM, { url: BASE, method: signed.request.method })
      assert.equal(passes(name, { ...signed, request: bare }), false)
    })
  }

  for (const name of ['twilio', 'plivo', 'telnyx', 'sinch', 'bird', 'vonage-sms', 'vonage-messages'])
    it(`of ${name} signs what the receipt says`, () => {
      const { request, token } = SIGNED[name]?.() ?? byUrl()
      const text = new TextDecoder().decode(request.body).replace(/[01a-s]/, 'z')
      assert.equal(passes(name, { token, request: { ...request, body: new TextEncoder().encode(text) } }), false)
    })

  for (const name of ['telnyx', 'sinch', 'bird', 'vonage-sms', 'messagebird'])
    it(`of ${name} is not known by an old receipt`, () => {
      assert.equal(passes(name, SIGNED[name]?.() ?? byUrl(), NOW + 301), false)
    })

  it('may sign the default port or leave it out', () => {
    const url = 'https://pbx.example.com:443/dlr'
    const signature = hmac('sha1', 'secret', url).toString('base64')
    const received = request('', { ...FORM, 'x-twilio-signature': signature }, { url: 'https://pbx.example.com/dlr' })
    assert.equal(passes('twilio', { token: 'secret', request: received }), true)
  })

  it('is not known by a token of another algorithm, nor by none', () => {
    const unsigned = jwt('secret', { exp: NOW + 60 }, { alg: 'none' })
    for (const each of [unsigned, '', 'a.b', 'a.b.c', `${unsigned}.d`])
      assert.equal(
        passes('vonage-messages', { token: 'secret', request: request('{}', { authorization: `Bearer ${each}` }) }),
        false,
      )
  })

  it('of Vonage signs the query of a GET', () => {
    const sig = hmac('sha256', 'secret', `&messageId=0A&status=sent&timestamp=${NOW}`).toString('hex')
    const url = `https://pbx.example.com/dlr?messageId=0A&status=sent&timestamp=${NOW}&sig=${sig}`
    const signed = (at: string): Signed => ({ token: 'secret', request: request('', {}, { url: at, method: 'GET' }) })
    assert.equal(passes('vonage-sms', signed(url)), true)
    assert.equal(passes('vonage-sms', signed(url.replace('sent', 'delivered'))), false)
  })

  it('of MessageBird signs the URL', () => {
    const { request, token } = SIGNED['messagebird']?.() ?? byUrl()
    assert.equal(passes('messagebird', { token, request: { ...request, url: `${BASE}?id=2&status=sent` } }), false)
  })
})
