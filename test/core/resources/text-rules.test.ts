import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem, text } from '../../../core/resources/field.ts'
import { rules } from '../../../core/resources/values/text-rules.ts'

type Rule = ReturnType<typeof rules.oneOf>

function allow(rule: Rule, ...values: string[]): void {
  for (const value of values) assert.ok(rule.holds(value), `${JSON.stringify(value)} should be allowed`)
}

function refuse(rule: Rule, ...values: string[]): void {
  for (const value of values) assert.ok(!rule.holds(value), `${JSON.stringify(value)} should be refused`)
}

test('an e-mail address has a local part, one @ and a domain', () => {
  allow(
    rules.email,
    'a@b.co',
    'admin@localhost',
    'first.last+tag@sub.example.com',
    "o'neill@example.ie",
    'ü@exämple.de',
  )
  allow(rules.email, `${'a'.repeat(64)}@${'b'.repeat(63)}.com`)
  refuse(
    rules.email,
    '',
    'a',
    '@',
    'a@',
    '@b.co',
    'a@b@c.co',
    'a b@c.co',
    'a@b c.co',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.co',
  )
  refuse(rules.email, 'a@-b.co', 'a@b-.co', 'a@b..co', 'a@.co', 'a@b.co.', 'a@b_c.co', `a@${'b'.repeat(64)}.co`)
  refuse(rules.email, 'Name <a@b.co>', 'a@b.co\n', 'a\n@b.co', '"a"@b.co', 'a,b@c.co', 'a@[127.0.0.1]')
})

test('a host is a name or an address', () => {
  allow(
    rules.host,
    'localhost',
    'sms.example.com',
    'sms.example.com.',
    'xn--bcher-kva.example',
    'a',
    '3com.com',
    'my_host',
    'A-1.B',
  )
  allow(rules.host, '127.0.0.1', '10.255.255.255', '::1', '[::1]', '2001:db8::5', '[2001:db8::5]', '::ffff:127.0.0.1')
})

test('a host is not a URL, nor any part of one beside the host', () => {
  refuse(
    rules.host,
    '',
    ' ',
    'http://a',
    'a/b',
    'a@127.0.0.1',
    'user:pass@a',
    'a:80',
    'a?b',
    'a#b',
    'a\\b',
    'a%2eb',
    '*',
  )
  refuse(
    rules.host,
    'a b',
    'a\nb',
    'a\tb',
    'a\n',
    '\u0000a',
    'a\u0000',
    '[::1',
    '::1]',
    '[a]',
    '[127.0.0.1]',
    '[::1]:80',
  )
  refuse(
    rules.host,
    'a..b',
    '.a',
    '-a',
    'a-',
    'a.-b',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}aa`,
    'bücher.example',
    '１２７.0.0.1',
  )
})

test('a name that a URL parser would read as an address is refused', () => {
  refuse(
    rules.host,
    '2130706433',
    '0x7f000001',
    '0x7F.1',
    '127.1',
    '127.0.1',
    '0177.0.0.1',
    '0',
    '017700000001',
    '127.0.0.1.',
  )
  refuse(
    rules.host,
    '256.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.04',
    'a.1',
    'a.0x1',
    'a.0x',
    '127.0.0.0x1',
    'example.com.1.',
  )
})

test('an IPv6 address is valid only in a proper notation', () => {
  refuse(
    rules.host,
    ':',
    ':::',
    '1::2::3',
    '12345::',
    'fe80::1%eth0',
    '::1.2.3.256',
    '1:2:3:4:5:6:7:8:9',
    'ab:80',
    '::1.2',
  )
})

test('an E.164 number is 2 to 15 digits that do not begin with 0, with or without a plus', () => {
  allow(rules.e164, '12', '+12', '+380501234567', '380501234567', '+123456789012345')
  refuse(rules.e164, '', '+', '1', '+1', '0501234567', '+0501234567', '+1234567890123456', '00380501234567')
  refuse(rules.e164, '+380 50 123', '+380-50', '++12', '12+', '+12\n', '+١٢٣', 'tel:+123', '1e5')
})

test("a sender is an E.164 number or letters, digits, space and . _ - & '", () => {
  allow(rules.sender, 'ACME', "A C.M_E-2&'x", '+380501234567', '380501234567', '12345', "Кав'ярня", 'café')
  refuse(rules.sender, '', '+', '+0123', '+ACME', 'A/B', 'A@B', 'A\nB', 'A;B', '<b>', 'A😀', '"A"')
})

test('a callback address is http or https and a host, nothing else', () => {
  allow(
    rules.httpUrl,
    'http://a',
    'https://example.com:8443/path?q=1#f',
    'HTTP://EXAMPLE.com',
    'http://[::1]:9000/',
    'http://127.0.0.1/',
  )
  refuse(
    rules.httpUrl,
    '',
    'example.com',
    '//example.com',
    'ftp://a',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http:',
    'http://',
  )
  refuse(
    rules.httpUrl,
    'http:///a',
    'http://?a',
    'http://#a',
    'http:a',
    'http:/a',
    'https:\\\\a',
    'http://a b',
    'http://a\nb',
    'http://a\\@b',
  )
  refuse(rules.httpUrl, 'http://a:99999', 'http://[::1', 'http://a%00b', 'data:text/html,x', ' http://a')
})

test('a MAC address is six pairs with one separator throughout, or none', () => {
  allow(rules.mac, '00:15:65:a1:b2:c3', '00-15-65-A1-B2-C3', '001565a1b2c3')
  refuse(
    rules.mac,
    '',
    '00:15:65:a1:b2',
    '00:15:65:a1:b2:c3:d4',
    '00:15-65:a1:b2:c3',
    '0015.65a1.b2c3',
    'g0:15:65:a1:b2:c3',
    '00:15:65:a1:b2:c',
  )
})

test('a choice accepts only its exact values', () => {
  const rule = rules.oneOf('inbound', 'outbound')
  allow(rule, 'inbound', 'outbound')
  refuse(rule, '', 'Inbound', 'in', 'inbound ', 'inbound|outbound')
  assert.equal(rule.predicate, 'must be one of inbound, outbound')
})

test('a rule checks the trimmed text, and only if it is not too long', () => {
  const field = text(12, { rule: rules.email })
  assert.equal(field.parse('  a@b.co '), 'a@b.co')
  assert.deepEqual(field.parse('not a mail'), new Problem('format', 'must be a valid email address'))
  assert.deepEqual(field.parse(`${'x'.repeat(20)}`), new Problem('max', 'must not be greater than 12 characters'))
})

test('no rule takes long over hostile text', { timeout: 5_000 }, () => {
  const hostile = [
    'a'.repeat(255),
    'a.'.repeat(127),
    `${'a-'.repeat(127)}!`,
    `${'1.'.repeat(127)}x`,
    ':'.repeat(255),
    `${'é'.repeat(254)}@`,
  ]
  for (const rule of [rules.email, rules.host, rules.httpUrl, rules.e164, rules.mac, rules.sender, rules.timeZone])
    for (const value of hostile) rule.holds(value)
})
