import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import type { Context } from '../../../../adapters/cli/context.ts'
import type { Column } from '../../../../adapters/cli/terminal/columns.ts'
import { cleaned } from '../../../../adapters/cli/terminal/styles.ts'
import { table } from '../../../../adapters/cli/terminal/table.ts'
import { widthOf } from '../../../../adapters/cli/terminal/width.ts'

const column = (name: string, kind: Column['kind'] = 'text'): Column => ({ name, kind, of: () => '' })

/** The table for a terminal of that width, and the note beside it. */
function drawn(columns: readonly Column[], rows: readonly (readonly string[])[], width = 80, color = false) {
  const heard: string[] = []
  const stderr = Object.assign(new PassThrough(), { write: (text: string) => heard.push(text) > 0 })
  const context: Context = {
    io: { stdin: new PassThrough(), stdout: Object.assign(new PassThrough(), { columns: width }), stderr, env: {} },
    line: [],
    options: { output: 'table', quiet: false, verbose: false, color, interactive: false },
    open: () => Promise.reject(new Error('A table needs no database.')),
  }
  const shown = table(context, columns, rows).map(line => cleaned(line, true))
  return { text: shown.join('\n'), said: heard.join('') }
}

describe('a table', () => {
  it('has numbers on the right and a moment to the second', () => {
    const columns = [column('id', 'integer'), column('name'), column('made', 'date')]
    const rows = [
      ['7', 'Acme', '2026-10-01T12:00:00.123456Z'],
      ['1200', 'B', ''],
    ]
    assert.equal(
      drawn(columns, rows).text,
      `┌──────┬──────┬──────────────────────┐
│ id   │ name │ made                 │
├──────┼──────┼──────────────────────┤
│    7 │ Acme │ 2026-10-01 12:00:00Z │
│ 1200 │ B    │                      │
└──────┴──────┴──────────────────────┘`.replace('│ id   │', '│   id │'),
    )
  })

  it('cuts the longest text first, and no number', () => {
    const { text } = drawn([column('a'), column('b', 'integer')], [['a long text that goes on', '1234567890123']], 30)
    assert.match(text, /│ a long te… │ 1234567890123 │/)
  })

  it('cuts numbers that are dialled only when nothing else is left to cut', () => {
    const columns = [column('destination_number'), column('disposition')]
    const rows = [['+380441112233', 'congestion']]
    assert.match(drawn(columns, rows, 24).text, /│\+380441112233│congest…│/)
    assert.match(drawn(columns, rows, 20).text, /│\+380441…│congesti…│/)
  })

  it('leaves empty columns out when there is no room, and says which others', () => {
    const columns = [column('first'), column('empty'), column('second'), column('third')]
    const { text, said } = drawn(columns, [['aaaaaaaa', '', 'bbbbbbbb', 'cccccccc']], 21)
    assert.match(text, /first.*second/)
    assert.equal(/empty|third/.test(text), false)
    assert.equal(said, 'no room for: third; choose columns with --fields\n')
  })

  it('leaves out what matters less before it cuts a text that is not long, wherever the column stands', () => {
    const columns = [column('first'), { ...column('minor'), isMinor: true }, column('second')]
    const { text, said } = drawn(columns, [['a'.repeat(20), 'b'.repeat(20), 'c'.repeat(20)]], 60)
    assert.match(text, /│ a{20} │ c{20} │/)
    assert.equal(said, 'no room for: minor; choose columns with --fields\n')
    assert.match(drawn(columns, [['a'.repeat(90), 'b', 'c']], 60).text, /│ a+… │ b {5}│ c {6}│/)
  })

  it('keeps a narrow column that fits once a wide one is left out', () => {
    const columns = [
      column('first'),
      { ...column('wide_one'), isMinor: true },
      { ...column('slim'), isMinor: true },
      column('last'),
    ]
    const { text, said } = drawn(columns, [['a'.repeat(20), 'b'.repeat(20), 'c', 'd'.repeat(20)]], 52)
    assert.match(text, /│a{20} *│c {3} *│d{20} *│/)
    assert.equal(said, 'no room for: wide_one; choose columns with --fields\n')
  })

  it('has no blanks beside its lines rather than leave a column out', () => {
    const columns = [column('first'), column('second'), column('third')]
    const { text, said } = drawn(columns, [['aaaaaaaa', 'bbbbbbbb', 'cccccccc']], 28)
    assert.match(text, /│aaaaaaaa│bbbbbbbb│cccccccc│/)
    assert.equal(said, '')
  })

  it('shows a moment to the minute rather than cut it otherwise', () => {
    const columns = [column('name'), column('made', 'date')]
    const { text } = drawn(columns, [['a text that goes on', '2026-10-01T12:00:59.123456Z']], 34)
    assert.match(text, /│ a text th… │ 2026-10-01 12:00Z │/)
  })

  it('breaks its headings before it cuts a text', () => {
    const columns = [column('a_long_heading'), column('b')]
    assert.match(drawn(columns, [['a', 'twelve chars']], 27).text, /│ a_ +│ b +│\n│ long_ +│ +│\n│ heading +│ +│[^…]*$/)
  })

  it('cuts texts before a heading, and a heading before a column is left out', () => {
    const columns = [column('text'), column('extensions_count', 'integer'), column('b')]
    const rows = [['a text that is long', '3', 'bbbbbb']]
    assert.match(drawn(columns, rows, 28).text, /│text +│extensions_│b +│\n│ +│ +count│/)
    const { text, said } = drawn(columns, rows, 24)
    assert.match(text, /│text +│extens…│b +│/)
    assert.equal(said, '')
  })

  it('keeps its columns straight under wide and combining characters', () => {
    const { text } = drawn(
      [column('name'), column('x')],
      [
        ['東京支社', 'a'],
        ['Zoë', 'b'],
        ['🙂 ok', 'c'],
      ],
    )
    const widths = text.trimEnd().split('\n').map(widthOf)
    assert.deepEqual(new Set(widths).size, 1, text)
  })

  it('cuts wide characters whole', () => {
    const { text } = drawn([column('name')], [['東京支社東京支社東京支社']], 16)
    assert.ok(
      text
        .trimEnd()
        .split('\n')
        .every(line => widthOf(line) <= 16),
      text,
    )
    assert.match(text, /東京支社東…/)
  })

  it('lets no cell act on the terminal or break its row', () => {
    const { text } = drawn([column('name')], [['a\x1b[31mred\x1b[0m\nline\ttab\x07']])
    assert.match(text, /│ ared line tab +│/)
  })

  it('colours words for states, in upper or lower case', () => {
    const { text } = drawn([column('state')], [['ANSWERED'], ['failed'], ['whatever']], 80, true)
    assert.ok(text.includes('\x1b[32mANSWERED\x1b[39m'))
    assert.ok(text.includes('\x1b[31mfailed\x1b[39m'))
    assert.ok(text.includes(' whatever '))
  })

  it('without rows prints none, and says so', () => {
    assert.deepEqual(drawn([column('a')], []), { text: '', said: 'nothing found\n' })
  })
})
