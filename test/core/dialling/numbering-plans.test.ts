import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { numberingPlans } from '../../../config/build/numbering-plans.ts'
import { automaton, NO_DIGITS } from '../../../core/dialling/automaton.ts'
import { planLines } from '../../../core/dialling/plan-lines.ts'

test("the numbering plans are those of the library's metadata", () => {
  const file = new URL('../../../core/dialling/numbering-plans.ts', import.meta.url)
  assert.equal(readFileSync(file, 'utf8'), numberingPlans(), 'run npm run plans')
})

test('an automaton matches what each of its patterns matches as a regular expression', () => {
  for (const { region, numbers, bare, emergency, short } of planLines().byRegion.values()) {
    const patterns = [numbers, bare, emergency, short]
    const expressions = patterns.map(pattern => (pattern === '' ? /(?!)/ : new RegExp(`^(?:${pattern})$`)))
    const { match } = automaton(patterns)
    const sometimes = expressions.filter(({ source }) => source !== '(?!)').map(each => fc.stringMatching(simple(each)))
    const numbersLike = fc.oneof(fc.stringMatching(/^[0-9]{1,14}$/), ...sometimes)
    for (const digits of fc.sample(numbersLike, { numRuns: 12, seed: 1 })) {
      const expected = expressions.reduce((sum, each, n) => sum + (each.test(digits) ? 1 << n : 0), 0)
      assert.equal(match(digits), expected, `${region} ${digits}`)
    }
  }
})

/** Without lookahead, which the generator of texts does not support. */
const simple = ({ source }: RegExp): RegExp =>
  source.includes('(?!') || source.includes('(?=') ? /^[1-9][0-9]{2,11}$/ : new RegExp(source.replaceAll('.', '[0-9]'))

test('an automaton distinguishes digits from text with other symbols', () => {
  const { match } = automaton(['12', '1.*'])
  assert.deepEqual(['', '1', '12', '13', '2', '+12', '1a'].map(match), [0, 2, 3, 2, 0, NO_DIGITS, NO_DIGITS])
})

test('an automaton says what more digits may make match', () => {
  const { begin } = automaton(['212.{7}', '3(?:1|2)'])
  assert.deepEqual(['', '2', '3', '31', '313', '212'].map(begin), [3, 1, 2, 2, 0, 1])
})

test('an automaton says how many of the first digits match at most', () => {
  const { beginning } = automaton(['00(?:1|12)?', '99(?:5|6.)'])
  const texts = ['', '0', '00', '003', '0012', '00123', '995', '996', '9961', '00a', 'a', '+00']
  assert.deepEqual(texts.map(beginning), [0, 0, 2, 2, 4, 4, 3, 0, 4, 2, 0, 0])
})

test('the international prefix is as long as the regular expression of the metadata says', () => {
  for (const { region, internationalPrefix } of planLines().byRegion.values()) {
    if (internationalPrefix === '') continue
    const [expression, { beginning }] = [new RegExp(`^(?:${internationalPrefix})`), automaton([internationalPrefix])]
    const numbersLike = fc
      .tuple(
        fc.stringMatching(new RegExp(`^(?:${internationalPrefix.replaceAll('.', '[0-9]')}|[0-9]{1,4})$`)),
        fc.nat(),
      )
      .map(([first, rest]) => `${first}${rest}`)
    for (const digits of fc.sample(numbersLike, { numRuns: 60, seed: 1 }))
      assert.equal(beginning(digits), expression.exec(digits)?.[0].length ?? 0, `${region} ${digits}`)
  }
})

test('an invalid pattern is refused with its position', () => {
  for (const pattern of ['1(2', '1a', '[1', '1{2', '12)', '(?<x>1)'])
    assert.throws(() => automaton([pattern]), /^Error: The pattern /, pattern)
})
