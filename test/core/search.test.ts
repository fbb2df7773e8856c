import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold } from '../../core/search.ts'

test('texts that differ only by case fold to the same, in any script', () => {
  for (const [one, other] of [
    ['école', 'ÉCOLE'],
    ['ОДЕСА', 'одеса'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['Ǆ', 'ǆ'],
    ['𐐀', '𐐨'],
    ['Straße', 'STRAßE'],
  ] as const)
    assert.equal(fold(one), fold(other), `${one} ${other}`)
})

test('letters with and without an accent are kept apart', () => {
  assert.notEqual(fold('ecole'), fold('école'))
})

/** Characters that map back from their other case, which defines "differ only by case". */
const cased = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .map(text => [...text].filter(c => c.toUpperCase().toLowerCase() === c.toLowerCase()).join(''))

test('upper and lower case of a text fold to the same', () => {
  fc.assert(
    fc.property(cased, text => {
      assert.equal(fold(text.toUpperCase()), fold(text))
      assert.equal(fold(text.toLowerCase()), fold(text))
    }),
    { numRuns: 1000 },
  )
})

test('folding twice is folding once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      assert.equal(fold(fold(text)), fold(text))
    }),
    { numRuns: 1000 },
  )
})

test('a part of a text is found in it, whatever its case and wherever it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }), { minLength: 1 }),
      fc.nat(),
      fc.nat(),
      (parts, a, b) => {
        const characters = [...parts.join('')]
        const [from, to] = [a % characters.length, b % (characters.length + 1)].sort((x, y) => x - y)
        const part = characters.slice(from, to).join('')
        assert.ok(fold(characters.join('')).includes(fold(part)))
      },
    ),
    { numRuns: 1000 },
  )
})
