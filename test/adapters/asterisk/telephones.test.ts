import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  TELEPHONE_TABLE,
  TELEPHONE_TEMPLATES,
  type Telephone,
  telephoneRow,
  telephoneSections,
  telephonesOf,
} from '../../../adapters/asterisk/render/telephones.ts'
import { directory, extension } from '../../support/switching/directory.ts'

const telephones = telephonesOf(
  directory({
    extensions: [
      extension('101'),
      extension('102', { hasVoicemail: true, devices: 3, displayName: 'Ann "x" O\'Neil' }),
    ],
  }),
  () => assert.fail('both can be telephones'),
)

/** The options of each object as the file says them, by type. */
function inFile(telephone: Telephone): Map<string, Record<string, string>> {
  const sections = [TELEPHONE_TEMPLATES, telephoneSections([telephone])].join('').split('\n\n').filter(Boolean)
  const read = (text: string): [string, Record<string, string>] => {
    const [head = '', ...lines] = text.split('\n')
    return [head, Object.fromEntries(lines.map(line => line.split(/ = (.*)/s).slice(0, 2)))]
  }
  const all = new Map(sections.map(read))
  return new Map(
    ['endpoint', 'aor', 'auth'].map(type => {
      const { type: _, ...options } = { ...all.get(`[tl-${type}](!)`), ...all.get(`[${telephone.id}](tl-${type})`) }
      return [type, options]
    }),
  )
}

/** The same as a view shows them. */
function inView(telephone: Telephone, name: string): Record<string, string> {
  const view = TELEPHONE_TABLE.views.find(each => each.name === name)
  const { values } = telephoneRow(telephone)
  const own = Object.entries(view?.columns ?? {}).map(([as, column]) => [
    as,
    values[TELEPHONE_TABLE.columns.indexOf(column)] ?? '',
  ])
  // Asterisk leaves out what is empty.
  return Object.fromEntries([...Object.entries(view?.constants ?? {}), ...own].filter(([, value]) => value !== ''))
}

describe('a telephone of Asterisk', () => {
  test('has the same options in the file and in the database', () => {
    assert.equal(telephones.length, 2)
    for (const telephone of telephones)
      for (const [type, options] of inFile(telephone)) assert.deepEqual(inView(telephone, `tl_${type}s`), options)
  })

  test('disallows all codecs before it allows some, in the order in which Asterisk reads a row', () => {
    const [endpoints] = TELEPHONE_TABLE.views
    assert.deepEqual(Object.keys(endpoints?.constants ?? {}).slice(0, 2), ['disallow', 'allow'])
  })

  test('registers as many devices as it has, from the file and from the database', () => {
    const [one, three] = telephones.map(telephone => inView(telephone, 'tl_aors')['max_contacts'])
    assert.deepEqual([one, three], ['1', '3'])
  })
})
