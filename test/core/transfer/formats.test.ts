import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { FLAGS } from '../../../adapters/cli/transfer/import/guide.ts'
import { openText } from '../../../adapters/files/text-input.ts'
import { nearest } from '../../../core/nearest.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { csvCell } from '../../../core/transfer/csv-text.ts'
import { csvSplitter, detectDialect } from '../../../core/transfer/input/csv.ts'
import type { Splitter } from '../../../core/transfer/input/cut.ts'
import { arraySplitter } from '../../../core/transfer/input/json.ts'
import { readerOf } from '../../../core/transfer/rows/cells.ts'

/** The rows of a text that arrives in pieces of that many bytes, read at most this many at a time. */
async function rowsOf(text: string, splitter: Splitter, piece = 7, limit = 3) {
  const bytes = Buffer.from(text)
  const stream = new PassThrough()
  for (let at = 0; at < bytes.length; at += piece) stream.write(bytes.subarray(at, at + piece))
  stream.end()
  const input = await openText('x', stream)
  const rows = []
  for await (const cut of input.rows(splitter, limit)) rows.push(...cut.rows)
  return { rows, input, bytes: bytes.length }
}

const text = fc.string({ unit: fc.constantFrom(...'ab,;"\n\r é€😀=+-\t'), maxLength: 8 })

describe('the reader of tables', () => {
  it('reads what csv-parse reads, whatever is in the cells and wherever the pieces end', async () => {
    const table = fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(',', ';', '\t'),
        fc.integer({ min: 1, max: 9 }),
        async (cells, delimiter, piece) => {
          const written = cells
            .map(row => ['x', ...row].map(cell => csvCell(cell, delimiter)).join(delimiter))
            .join('\n')
          const expected: string[][] = parse(written, { delimiter })
          const { rows, input, bytes } = await rowsOf(written, csvSplitter({ delimiter, newline: '\n' }), piece)
          assert.deepEqual(
            rows.map(row => row.content),
            expected,
          )
          assert.equal(input.offset, bytes)
        },
      ),
    )
  })

  it('detects the separator, ignoring quoted ones', () => {
    for (const delimiter of [',', ';', '\t', '|'])
      assert.equal(detectDialect(`"a,;|\t,;;"${delimiter}b${delimiter}c\n`).delimiter, delimiter)
  })
})

describe('the reader of arrays', () => {
  it('reads what JSON.parse reads, wherever the pieces end', async () => {
    const value = fc.array(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text), fc.constant(null))))
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(0, 2), fc.integer({ min: 1, max: 9 }), async (array, indent, piece) => {
        const written = JSON.stringify(array, null, indent)
        const { rows } = await rowsOf(written, arraySplitter(), piece)
        assert.deepEqual(
          rows.map(({ content }) => ('json' in content ? content.json : content)).map(row => JSON.stringify(row)),
          (JSON.parse(written) as unknown[]).map(row => JSON.stringify(row)),
        )
      }),
    )
  })

  it('reports what is wrong with an array', async () => {
    for (const [written, sentence] of [
      ['{}', /does not begin with a JSON array/],
      ['[{} {}]', /separated by a comma/],
      ['[{}', /cut off/],
      ['[] x', /after the end/],
      ['[', /cut off/],
      ['', /does not begin with a JSON array/],
    ] as const) {
      const { rows } = await rowsOf(written, arraySplitter())
      assert.match(JSON.stringify(rows.at(-1)), sentence)
    }
  })

  it('reports an array that is cut off after an element, even at the end of a block', async () => {
    const element = (length: number): string => `{"a":"${'x'.repeat(length - 8)}"}`
    const written = `[${element(60_000)},${element(128 * 1024 - 60_002)}`
    const { rows } = await rowsOf(written, arraySplitter(), written.length)
    assert.equal(rows.length, 3)
    assert.match(JSON.stringify(rows.at(-1)), /cut off/)
  })

  it('resumed after the last element, needs only the end of the array, or nothing', async () => {
    assert.deepEqual((await rowsOf('', arraySplitter(true))).rows, [])
    assert.deepEqual((await rowsOf(']\n', arraySplitter(true))).rows, [])
    assert.match(JSON.stringify((await rowsOf(',{}', arraySplitter(true))).rows), /cut off/)
  })
})

describe('the fast reader', () => {
  it('reads numbers as the field’s own rule does, cached or not', () => {
    const read = readerOf(cdrs.fields.cost, { isText: true, decimalComma: false, force: false, guide: FLAGS })
    const given = fc.oneof(
      fc.double().map(String),
      fc.string({ unit: fc.constantFrom(...'0123456789.-+eE '), maxLength: 10 }),
    )
    fc.assert(
      fc.property(given, number => {
        const expected = cdrs.fields.cost.parse(number)
        assert.deepEqual(read(number), expected)
        assert.deepEqual(read(number), expected)
      }),
    )
  })
})

describe('the nearest name', () => {
  it('is suggested only if it is near enough', () => {
    assert.equal(nearest('Display Name', ['display_name', 'name']), 'display_name')
    assert.equal(nearest('colour', ['prefix', 'status']), null)
  })
})

it('a workbook or a compressed file is reported as such, and not as text in another encoding', async () => {
  for (const [head, what] of [
    [[0x50, 0x4b, 3, 4, 0xff], /^x is a workbook or a zip file, not text: save it as CSV$/],
    [[0xd0, 0xcf, 0x11, 0xe0, 0xff], /^x is a workbook, not text: save it as CSV$/],
    [[0x1f, 0x8b, 8, 0xff], /^x is compressed, not text: unpack it first$/],
  ] as const)
    await assert.rejects(openText('x', Readable.from([Buffer.from(head)], { objectMode: false })), {
      kind: 'data',
      message: what,
    })
})

describe('an input of one endless row', () => {
  it('is refused rather than kept in memory', async () => {
    const stream = Readable.from(
      (function* () {
        yield Buffer.from('a,b\n"')
        for (let i = 0; i < 100; i++) yield Buffer.alloc(65_536, 97)
      })(),
    )
    const input = await openText('x', stream)
    await assert.rejects(async () => {
      for await (const cut of input.rows(csvSplitter({ delimiter: ',', newline: '\n' }), 10)) assert.ok(cut)
    }, /no end within 4 MiB/)
  })
})
