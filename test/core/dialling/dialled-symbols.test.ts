import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialled, internationalPrefixOf } from '../../../core/dialling/dialled-symbols.ts'

test('plus, spaces, punctuation and invisible characters are removed', () => {
  for (const written of ['+380 44 123-45-67', '380(44)1234567', '380.44/1234567', '‪+380441234567‬', '380 441234567']) {
    assert.equal(dialled(written), '380441234567', written)
  }
})

test('the international prefix is removed from a number that begins with it', () => {
  assert.equal(dialled('00380441234567'), '380441234567')
  assert.equal(dialled('00 380 44 1234567'), '380441234567')
  assert.equal(dialled('011380441234567', '011'), '380441234567')
  assert.equal(dialled('00380', '011'), '00380')
})

test('only one international prefix is removed, and only at the beginning', () => {
  assert.equal(dialled('0000380'), '00380')
  assert.equal(dialled('1002003'), '1002003')
})

test('a number with a leading plus keeps its digits', () => {
  assert.equal(dialled('+0044'), '0044')
  assert.equal(dialled(' (+0044)'), '0044')
  assert.equal(dialled('00+44'), '44')
})

test('an empty international prefix removes nothing', () => {
  assert.equal(dialled('0044', ''), '0044')
})

test('star and hash are dialled, so they stay', () => {
  assert.equal(dialled('*98'), '*98')
  assert.equal(dialled('#31# 44-20'), '#31#4420')
})

test('text with letters or foreign digits is not a number', () => {
  for (const written of ['s', 'voicemail', 'park701', '1800FLOWERS', 'n/a', '٣٨٠', 'ü1']) {
    assert.equal(dialled(written), '', written)
  }
})

test('a tenant says its international prefix in its settings', () => {
  assert.equal(internationalPrefixOf({ international_prefix: '011' }), '011')
  assert.equal(internationalPrefixOf({ international_prefix: '+0011 ' }), '0011')
  assert.equal(internationalPrefixOf({ international_prefix: '' }), '')
})

test('settings that say no international prefix mean 00', () => {
  for (const settings of [null, undefined, {}, [], 'x', { international_prefix: null }, { international_prefix: 11 }]) {
    assert.equal(internationalPrefixOf(settings), '00')
  }
})
