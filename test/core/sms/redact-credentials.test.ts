import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { parseJson, stringifyJson } from '../../../core/json.ts'
import { maskNamed, redactor } from '../../../core/sms/redact-credentials.ts'

const MARK = '[redacted]'
const GATEWAY = { username: 'foo', password: 'p&ss "w/ö +1' }
const redact = redactor(GATEWAY)

test('the password is taken out of texts, keys and lists at any depth', () => {
  const { password } = GATEWAY
  assert.deepEqual(redact({ a: [`x${password}y`, { [password]: { deep: password } }], n: 1, b: true, z: null }), {
    a: [`x${MARK}y`, { [MARK]: { deep: MARK } }],
    n: 1,
    b: true,
    z: null,
  })
})

test('the password is recognised in each spelling that a gateway may echo', () => {
  const { username, password } = GATEWAY
  const basic = Buffer.from(`${username}:${password}`, 'utf8').toString('base64')
  for (const spelling of [
    encodeURIComponent(password),
    new URLSearchParams({ password })
      .toString()
      .slice('password='.length)
      .replaceAll('%2F', '/')
      .replaceAll('/', '%2F'),
    encodeURIComponent(password).toLowerCase(),
    JSON.stringify(password).slice(1, -1),
    basic,
    basic.replace(/=+$/, ''),
    encodeURIComponent(basic),
    Buffer.from(password, 'utf8').toString('base64'),
    password.toUpperCase(),
  ])
    assert.equal(redact(`before ${spelling} after`), `before ${MARK} after`, spelling)
})

test('a password of a few letters does not mask words that only look like it in base64', () => {
  const short = redactor({ username: 'trunkline', password: 'p' })
  assert.equal(short('the local cache'), 'the local cache')
  assert.equal(short(Buffer.from('trunkline:p').toString('base64')), MARK)
})

test('a number that holds the password is taken out, lossless or not', () => {
  const numeric = redactor({ username: 'u', password: '4711' })
  assert.equal(numeric(14_711), MARK)
  assert.equal(numeric(4712), 4712)
  assert.equal(numeric(new LosslessNumber('99999999999999994711')), MARK)
  assert.deepEqual(numeric(new LosslessNumber('99999999999999990000')), new LosslessNumber('99999999999999990000'))
})

test('characters that mean something in a pattern are plain characters', () => {
  const dots = redactor({ username: 'u', password: 'a.c$^(|)[]{}*+?\\' })
  assert.equal(dots('abc'), 'abc')
  assert.equal(dots('<a.c$^(|)[]{}*+?\\>'), `<${MARK}>`)
})

test('keys that mean something to JavaScript stay plain data', () => {
  const value = redact(parseJson('{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}'))
  assert.equal(stringifyJson(value), '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}')
  assert.equal(Reflect.get({}, 'y'), undefined)
})

test('a value in the place of a password is masked, and nothing else', () => {
  const given = {
    Password: 'x',
    api_key: 7,
    deep: [{ secret: { a: 1 } }],
    url: 'https://x.org/?user=u&password=guess&to=1',
    header: 'Authorization: Basic dXNlcjpwYXNz',
    status: 'DELIVRD',
    text: 'the password is x',
    n: parseJson('12345678901234567890'),
    b: false,
    z: null,
  }
  const masked = {
    ...given,
    Password: MARK,
    api_key: MARK,
    deep: [{ secret: MARK }],
    url: `https://x.org/?user=u&password=${MARK}&to=1`,
    header: `Authorization: Basic ${MARK}`,
  }
  assert.deepEqual(maskNamed(given), masked)
  assert.deepEqual(maskNamed(masked), masked)
})

test('no password survives anywhere in any JSON value', () => {
  const password = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 20 }).filter(p => !MARK.includes(p))
  fc.assert(
    fc.property(password, fc.string(), fc.string(), fc.constantFrom(0, 1, 2), (secret, before, after, shape) => {
      const text = `${before}${secret}${after}`
      const value = shape === 0 ? text : shape === 1 ? { k: [{ [text]: 1 }] } : [[text], { v: { w: text } }]
      const cleaned = redactor({ username: 'u', password: secret })(value)
      assert.ok(!texts(cleaned).some(part => part.replaceAll(MARK, '\0').includes(secret)))
    }),
    { numRuns: 500 },
  )
})

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [key, ...texts(member)])
}
