import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../../core/json.ts'
import { externalIdOf, failureDetail } from '../../../core/sms/reply.ts'

const UUID = '898aa385-6099-4891-88c9-5ab9b08e5312'

test('the id is message_id, else id', () => {
  assert.equal(externalIdOf({ message_id: 'm', id: 'i' }), 'm')
  assert.equal(externalIdOf({ id: 'i' }), 'i')
  for (const empty of [null, '', '  ', true, {}, []]) assert.equal(externalIdOf({ message_id: empty, id: 'i' }), 'i')
})

test('a numeric id is its digits, none lost', () => {
  assert.equal(externalIdOf(parseJson('{"message_id":12345678901234567890}')), '12345678901234567890')
  assert.equal(externalIdOf(parseJson('{"id":9007199254740993}')), '9007199254740993')
  assert.equal(externalIdOf(parseJson('{"id":0}')), '0')
})

test('an id comes without blanks around it, as in a receipt', () => {
  assert.equal(externalIdOf({ message_id: ' abc\n' }), 'abc')
})

test("Jasmin's answers are understood: as text, and over REST in data, where the closing quote is missing", () => {
  assert.equal(externalIdOf(`Success "${UUID}"`), UUID)
  assert.equal(externalIdOf(parseJson(`{"data": "Success \\"${UUID}\\""}`)), UUID)
  assert.equal(externalIdOf(parseJson(`{"data": "Success \\"${UUID}"}`)), UUID)
})

test('a reply without an id gives none', () => {
  for (const body of [
    '0: Accepted for delivery',
    '',
    'Error "no"',
    'Success ""',
    {},
    { data: {} },
    { data: 'ok' },
    null,
    5,
    true,
    ['m'],
  ])
    assert.equal(externalIdOf(body), null, JSON.stringify(body))
})

test('an id that is too long to store counts as none', () => {
  assert.equal(externalIdOf({ message_id: 'x'.repeat(255) }), 'x'.repeat(255))
  assert.equal(externalIdOf({ message_id: 'x'.repeat(256), id: 'i' }), 'i')
  assert.equal(externalIdOf(`Success "${'x'.repeat(256)}"`), null)
})

test("an id is the reply's own member, not an inherited one", () => {
  assert.equal(externalIdOf(parseJson('{"__proto__":{"message_id":"m"}}')), null)
})

test("a gateway's error is reported on one line of bounded length", () => {
  assert.equal(failureDetail({ message: 'Error "Argument [foo] is unknown."' }), ': Error "Argument [foo] is unknown."')
  assert.equal(failureDetail({ title: 'Authentication required', description: 'x' }), ': Authentication required')
  assert.equal(failureDetail('Error\n  "no\tway" '), ': Error "no way"')
  assert.equal(failureDetail('x'.repeat(1000)), `: ${'x'.repeat(300)}…`)
  for (const body of ['', '  ', {}, { message: '' }, { message: 5 }, null, ['a'], 7])
    assert.equal(failureDetail(body), '')
})
