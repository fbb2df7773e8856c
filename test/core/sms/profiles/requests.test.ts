import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isJsonObject } from '../../../../core/json.ts'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import {
  type Outgoing,
  type ProviderRequest,
  providerRequest,
  refusedText,
  templateValues,
} from '../../../../core/sms/profiles/request.ts'
import type { Profile } from '../../../../core/sms/profiles/schema.ts'
import { textForm } from '../../../../core/sms/text.ts'
import { profileNamed } from './profile-named.ts'

const GATEWAY = { username: 'us er', password: 'p&ss"wörd', callback_token: 'secret' }

const message = (overrides: Partial<Outgoing> = {}): Outgoing => ({
  to_number: '+15551230001',
  from_sender: 'ACME',
  message: 'Hello',
  callback_url: 'https://pbx.example.com/api/sms-gateways/7/dlr?token=s&ref=u1',
  reference: '0b54c6a2-0000-4000-8000-000000000001',
  ...overrides,
})

const requestOf = (profile: Profile, outgoing: Outgoing, account: Record<string, string> = {}): ProviderRequest =>
  providerRequest(
    profile,
    'https://api.example.com',
    templateValues(profile, outgoing, GATEWAY, account),
    textForm(outgoing.message),
  )

const refused = (profile: Profile, text: string): string | null => refusedText(profile, text, textForm(text))

/** Every text that a server with that encoding reads from a request. */
function textsRead({ url, headers, body }: ProviderRequest): string[] {
  const query = [...new URL(url).searchParams.values()]
  if (body === null) return query
  if (headers['content-type'] === 'application/json') return [...query, ...leaves(JSON.parse(body))]
  return [...query, ...new URLSearchParams(body).values()]
}

const leaves = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(leaves)
      : []

const fromHex = (hex: string): string =>
  String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map(unit => Number.parseInt(unit, 16)))

const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).map(text => text.toWellFormed())

describe('a request', () => {
  for (const profile of BUILT_IN)
    it(`to ${profile.title} carries every text as it was written`, () => {
      fc.assert(
        fc.property(anyText, fc.string({ minLength: 1, maxLength: 30 }), (text, sender) => {
          const read = textsRead(
            requestOf(profile, message({ message: text, from_sender: `A${sender}`.toWellFormed() })),
          )
          assert.ok(read.includes(text) || read.some(each => /^[0-9a-f]+$/.test(each) && fromHex(each) === text), text)
          assert.ok(read.includes(`A${sender}`.toWellFormed()))
        }),
        { numRuns: 300 },
      )
    })

  it('writes numbers as the provider wants them', () => {
    for (const [name, to] of [
      ['twilio', '+15551230001'],
      ['plivo', '15551230001'],
    ] as const)
      for (const given of ['+15551230001', '15551230001'])
        assert.ok(textsRead(requestOf(profileNamed(name), message({ to_number: given }))).includes(to))
  })

  it('leaves an alphanumeric sender and a short code as they are', () => {
    for (const from of ['ACME', '12345'])
      assert.ok(textsRead(requestOf(profileNamed('twilio'), message({ from_sender: from }))).includes(from))
  })

  it('puts account values into the path by their own encoding', () => {
    const { url } = requestOf(profileNamed('bandwidth'), message(), { account_id: 'a/b c', application_id: 'x' })
    assert.equal(url, 'https://api.example.com/api/v2/users/a%2Fb%20c/messages')
  })

  it('leaves out a member whose value is not known', () => {
    const bodyOf = (account: Record<string, string>): unknown =>
      JSON.parse(requestOf(profileNamed('telnyx'), message(), account).body ?? '')
    const [without, withId] = [bodyOf({}), bodyOf({ messaging_profile_id: 'm' })]
    assert.ok(isJsonObject(without) && !Object.hasOwn(without, 'messaging_profile_id'))
    assert.ok(isJsonObject(withId) && withId.messaging_profile_id === 'm')
  })

  it('replaces no placeholder inside a value', () => {
    const read = textsRead(requestOf(profileNamed('twilio'), message({ message: 'pay {password} {to}' })))
    assert.ok(read.includes('pay {password} {to}'))
  })

  it('asks Jasmin for Unicode in hexadecimal digits, and only where the text needs it', () => {
    const body = (text: string): unknown =>
      JSON.parse(requestOf(profileNamed('jasmin-rest'), message({ message: text })).body ?? '')
    const [plain, unicode] = [body('Hello €'), body('Привіт')]
    assert.ok(isJsonObject(plain) && plain.content === 'Hello €' && plain.coding === undefined)
    assert.ok(isJsonObject(unicode) && unicode.content === undefined && unicode.coding === '8')
    assert.equal(unicode['hex-content'], '041f04400438043204560442')
  })

  it("leaves Kannel's own placeholders to Kannel", () => {
    const { url } = requestOf(profileNamed('kannel'), message())
    const receiptUrl = new URL(url).searchParams.get('dlr-url')
    assert.match(receiptUrl ?? '', /\?token=s&ref=u1&status=%d&answer=%A&/)
  })

  it('carries our reference or a receipt URL wherever the provider takes one', () => {
    for (const profile of BUILT_IN) {
      const outgoing = message({ reference: '42' })
      const read = textsRead(requestOf(profile, outgoing))
      assert.ok(
        read.some(text => text === '42' || text.startsWith(outgoing.callback_url)),
        profile.name,
      )
    }
  })
})

describe('a text', () => {
  it('is counted as a phone network carries it', () => {
    const cases: readonly (readonly [string, string, number])[] = [
      ['a'.repeat(160), 'GSM-7', 1],
      ['a'.repeat(161), 'GSM-7', 2],
      ['a'.repeat(306), 'GSM-7', 2],
      [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
      ['€'.repeat(80), 'GSM-7', 1],
      ['ж'.repeat(70), 'UCS-2', 1],
      ['ж'.repeat(71), 'UCS-2', 2],
      ['ç', 'UCS-2', 1],
      ['😀'.repeat(35), 'UCS-2', 1],
    ]
    for (const [text, alphabet, parts] of cases) assert.deepEqual(textForm(text), { alphabet, parts }, text)
  })

  it('that the provider would truncate is refused with the reason', () => {
    const jasmin = profileNamed('jasmin-http')
    assert.equal(refused(jasmin, 'a'.repeat(765)), null)
    assert.equal(refused(jasmin, 'a'.repeat(766)), 'takes 6 parts, of which Jasmin (HTTP API) sends 5')
    assert.equal(refused(profileNamed('smsc-ru'), 'ж'.repeat(1001)), 'has 1001 characters, of which SMSC.ru takes 1000')
  })
})
