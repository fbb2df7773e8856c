// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what FreeSWITCH replaces is written so
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { documentOf, element, NOT_FOUND, params } from '../../../adapters/freeswitch/lookups/xml.ts'
import { documentIn, elementsIn, isNotFound, preprocessed, valuesIn } from '../../support/switching/freeswitch.ts'

const answered = (value: string): string | undefined =>
  valuesIn(documentOf('directory', params({ password: value })))['password']

test("directives of FreeSWITCH's preprocessor arrive as plain text", () => {
  for (const value of [
    ...['x$${domain}y', '${system(reboot)}', '<X-PRE-PROCESS cmd="exec" data="reboot"/>', 'x-pre-process'],
    ...['<!--#exec "reboot"-->', '<include>', '<?xml version="1.0"?>', '-->', ']]>', '&amp;', '&#36;', '"', "'", '\\'],
    ...['a\nb', 'a\r\nb\tc', 'Олена Пчілка', '😀', ' ends ', '%E9', ''],
  ])
    assert.equal(answered(value), value, value)
})

test('any text arrives unchanged, except for characters that XML cannot hold', () => {
  const held = fc.string({ unit: 'binary', maxLength: 30 }).filter(text => !/[^\P{C}\t\n\r]|[\uFFFE\uFFFF]/u.test(text))
  fc.assert(
    fc.property(held, value => assert.equal(answered(value), value)),
    { numRuns: 30 },
  )
  const special = fc.string({
    unit: fc.constantFrom('$', '{', '}', '<', '-', '!', '#', '?', 'X', 'a', '\n'),
    maxLength: 40,
  })
  fc.assert(
    fc.property(special, value => assert.equal(answered(value), value)),
    { numRuns: 30 },
  )
})

test('characters that XML cannot hold are left out', () => {
  assert.equal(answered('a\u0000b\u0007c\ud800d\uffff'), 'abcd')
})

test('an answer is one line, without a declaration that would lose it', () => {
  const answer = documentOf('dialplan', [element('context', { name: 'a\nb' })])
  assert.doesNotMatch(answer, /\n|<\?/)
  assert.equal(preprocessed(answer), answer)
  assert.equal(documentIn(answer).documentElement?.getAttribute('type'), 'freeswitch/xml')
  assert.equal(elementsIn(answer, 'section')[0]?.getAttribute('name'), 'dialplan')
})

test('nothing found is a result of its own', () => {
  assert.ok(isNotFound(NOT_FOUND))
})
