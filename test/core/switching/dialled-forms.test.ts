import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { observed } from '../../../core/dialling/examined-digits.ts'
import { countries, planOf } from '../../../core/dialling/plan.ts'
import type { Dialling } from '../../../core/dialling/read-number.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { type DialledForm, dialledForms } from '../../../core/switching/dialled-forms.ts'
import { outsideNumber } from '../../../core/switching/number-form.ts'

/** The number that leaves the switch, as the core reads it. */
function leaving(dialling: Dialling, number: string): string | null {
  const found = outsideNumber(dialling.read(number), dialling)
  if (!found) return null
  if (found.short === null) return `e164 ${found.digits}`
  return `${found.isEmergency ? 'emergency' : 'short'} ${found.short}`
}

/** The same by the table: each form that matches the number gives it. */
function bySteps(forms: readonly DialledForm[]): (number: string) => string[] {
  const byLength = new Map<string, { expression: RegExp; form: DialledForm }[]>()
  for (const form of forms) {
    const key = `${form.pattern.startsWith('+')} ${form.pattern.replace(/\[\d+\]/g, 'X').length}`
    const expression = new RegExp(`^${form.pattern.replace('+', '\\+').replaceAll('X', '[0-9]')}$`)
    byLength.set(key, [...(byLength.get(key) ?? []), { expression, form }])
  }
  return number =>
    (byLength.get(`${number.startsWith('+')} ${number.length}`) ?? [])
      .filter(({ expression }) => expression.test(number))
      .map(({ form: { kind, takes, puts } }) => `${kind} ${puts}${number.slice(takes)}`)
}

const digits = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength })

/** Numbers with the prefixes that occur in a country. */
function dialledIn(country: string): fc.Arbitrary<string> {
  const { callingCode = '', trunk = '' } = planOf(country) ?? {}
  const begins = ['', trunk, '0', '00', '011', '+', callingCode, `+${callingCode}`, `00${callingCode}`]
  const withTrunk = [`+${callingCode}${trunk}`, `${callingCode}${trunk}`, `${trunk}9`, '1', '2']
  return fc.tuple(fc.constantFrom(...begins, ...withTrunk), digits(18)).map(parts => parts.join(''))
}

const areaOf = (country: string): string => {
  const plan = planOf(country)
  return Array.from({ length: 900 }, (_, i) => String(i + 1)).find(area => plan?.mayBeArea(area)) ?? ''
}

const PECULIAR = ['AR', 'CN', 'GB', 'US', 'AG']

for (const country of PECULIAR)
  test(`${country}: the table reads every number as the plan does, and no number twice`, async () => {
    for (const dialling of [{ country }, { country, area_code: areaOf(country) }]) {
      const read = diallingOf({ dialling })
      const table = bySteps(await dialledForms(read, nextTurn))
      fc.assert(
        fc.property(dialledIn(country), number => {
          fc.pre(number.replace('+', '').length > 1)
          const expected = leaving(read, number)
          assert.deepEqual(table(number), expected === null ? [] : [expected])
        }),
        { numRuns: 3_000 },
      )
    }
  })

test('without a country, the table removes the international prefix', async () => {
  for (const settings of [{}, { international_prefix: '011' }, { international_prefix: '' }]) {
    const read = diallingOf(settings)
    const table = bySteps(await dialledForms(read, nextTurn))
    fc.assert(
      fc.property(fc.tuple(fc.constantFrom('', '+', '00', '011', '112'), digits(18)), parts => {
        const number = parts.join('')
        fc.pre(number.replace('+', '').length > 1)
        const expected = leaving(read, number)
        assert.deepEqual(table(number), expected === null ? [] : [expected])
      }),
      { numRuns: 2_000 },
    )
  }
})

test('in every country, digits that a reading has not looked at change nothing but themselves', () => {
  for (const country of countries()) {
    const read = diallingOf({ dialling: { country, area_code: areaOf(country) } })
    fc.assert(
      fc.property(dialledIn(country), digits(20), (number, others) => {
        const { places } = observed(() => outsideNumber(read.read(number), read))
        const other = [...number]
          .map((sign, i) => (sign === '+' || places.has(number.length - 1 - i) ? sign : (others[i] ?? '5')))
          .join('')
        const [one, two] = [leaving(read, number), leaving(read, other)]
        assert.equal(one?.length, two?.length, `${country} ${number} ${one} ${other} ${two}`)
        assert.equal(one?.split(' ')[0], two?.split(' ')[0], `${country} ${number} ${one} ${other} ${two}`)
      }),
      { numRuns: 150 },
    )
  }
})
