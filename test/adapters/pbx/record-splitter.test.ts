import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RecordRule, recordSplitter, type SplitRecord } from '../../../adapters/pbx/record-splitter.ts'

const split = (rule: RecordRule, ...chunks: (string | Buffer)[]): SplitRecord[] => {
  const splitter = recordSplitter(rule)
  return chunks.flatMap(chunk => splitter.push(Buffer.from(chunk)))
}

const texts = (records: SplitRecord[]): string[] => records.map(({ text }) => text)

test('each record comes with the byte offset after its line end', () => {
  assert.deepEqual(split('quoted', '"a",1\n"é",2\r\n'), [
    { text: '"a",1', end: 6 },
    { text: '"é",2', end: 14 },
  ])
})

test('a line end within quotes belongs to the record', () => {
  assert.deepEqual(texts(split('quoted', '"a\nb","c"\n"d"\n')), ['"a\nb","c"', '"d"'])
  assert.deepEqual(texts(split('quoted', '"say ""hi""\n","c"\n"","""\n"\n')), ['"say ""hi""\n","c"', '"","""\n"'])
})

test('by the line rule, quotes mean nothing', () => {
  assert.deepEqual(texts(split('line', '"a"b,"\n"c\n')), ['"a"b,"', '"c'])
})

test('a torn last line stays until it is whole', () => {
  const splitter = recordSplitter('quoted')
  assert.deepEqual(splitter.push(Buffer.from('"a"\n"b')), [{ text: '"a"', end: 4 }])
  assert.deepEqual(splitter.push(Buffer.from('c"')), [])
  assert.deepEqual(splitter.push(Buffer.from('\n')), [{ text: '"bc"', end: 9 }])
})

test('a last line without its end is returned when no more will come', () => {
  const splitter = recordSplitter('quoted', 100)
  splitter.push(Buffer.from('"a"\n"b"'))
  assert.deepEqual(splitter.rest(), { text: '"b"', end: 107 })
  splitter.push(Buffer.from('\n'))
  assert.equal(splitter.rest(), null)
})

test('reading can resume at any reported offset', () => {
  const file = Buffer.from('"a\n1"\n"b"\n\n"é"\n"d')
  const whole = split('quoted', file)
  whole.forEach(({ end }, index) => {
    assert.deepEqual(recordSplitter('quoted', end).push(file.subarray(end)), whole.slice(index + 1))
  })
})

test('empty lines are left out', () => {
  assert.deepEqual(texts(split('quoted', '\n\r\n"a"\n\n')), ['"a"'])
})

test('bytes that a power failure leaves before a line are skipped', () => {
  assert.deepEqual(texts(split('quoted', Buffer.from('\0\0\0"a","b"\n"c"\n'))), ['"a","b"', '"c"'])
})

test('a line torn within quotes loses no other line', () => {
  const torn = '"acc","10\n"acc","101",5\n"acc","102",6\n'
  assert.deepEqual(texts(split('quoted', torn)), ['"acc","10', '"acc","101",5', '"acc","102",6'])
  const thenEmpty = '"acc","10\n"","101",5\n"acc","102",6\n'
  assert.deepEqual(texts(split('quoted', thenEmpty)), ['"acc","10', '"","101",5', '"acc","102",6'])
})

test('a line torn and continued loses no other line', () => {
  const merged = '"acc","10"acc","101",5\n"acc","102",6\n"acc",1"acc"\n"x"\n'
  assert.deepEqual(texts(split('quoted', merged)), ['"acc","10"acc","101",5', '"acc","102",6', '"acc",1"acc"', '"x"'])
})

test('an unclosed quote loses one line', () => {
  const lines = Array.from({ length: 2000 }, (_, n) => `plain,${n},row`)
  const records = texts(split('quoted', `"never closed\n${lines.join('\n')}\n`))
  assert.deepEqual(records, ['"never closed', ...lines])
})

test('bytes that are no UTF-8 do not move the offsets', () => {
  assert.deepEqual(split('quoted', Buffer.from([0x22, 0xe9, 0x22, 0x0a, 0x31, 0x0a])), [
    { text: '"\uFFFD"', end: 4 },
    { text: '1', end: 6 },
  ])
})

test('a chunk may be overwritten once it was pushed', () => {
  const splitter = recordSplitter('quoted')
  const chunk = Buffer.from('"a"\n"b')
  splitter.push(chunk)
  chunk.fill(0x78)
  assert.deepEqual(texts(splitter.push(Buffer.from('"\n'))), ['"b"'])
})

test('NULs before a line are skipped, however many and in any pieces', () => {
  const splitter = recordSplitter('line', 0, 10)
  const nuls = Buffer.alloc(64)
  assert.deepEqual([splitter.push(nuls), splitter.push(nuls), splitter.rest()], [[], [], null])
  assert.deepEqual(splitter.push(Buffer.from('\0"a"\n')), [{ text: '"a"', end: 133 }])
})

test('a record that is too long comes in parts, and the next one is whole', () => {
  for (const rule of ['line', 'quoted'] as const) {
    const splitter = recordSplitter(rule, 0, 20_000)
    const long = `"a","${'x'.repeat(45_000)}`
    const records = [...long.matchAll(/.{1,1000}/g)].flatMap(([chunk]) => splitter.push(Buffer.from(chunk)))
    assert.deepEqual(records, [
      { text: long.slice(0, 20_000), end: 20_000, isPart: true },
      { text: long.slice(20_000, 40_000), end: 40_000, isPart: true },
    ])
    const last = { text: long.slice(40_000), end: long.length, isPart: true }
    assert.deepEqual(splitter.rest(), last)
    assert.deepEqual(splitter.push(Buffer.from('\n"b",1\n')), [
      { ...last, end: long.length + 1 },
      { text: '"b",1', end: long.length + 7 },
    ])
  }
})

test('bytes waiting for a line end are scanned once', context => {
  const searched = context.mock.method(Buffer.prototype, 'indexOf')
  const splitter = recordSplitter('line')
  for (let n = 0; n < 100; n++) splitter.push(Buffer.alloc(1_000, 'x'))
  assert.deepEqual(
    searched.mock.calls.map((call: { readonly arguments: readonly unknown[] }) => call.arguments[1]),
    Array.from({ length: 100 }, (_, n) => n * 1_000),
  )
})

test('a record of exactly the maximum length is whole', () => {
  const splitter = recordSplitter('line', 0, 5)
  assert.deepEqual(splitter.push(Buffer.from('12345\n123456\n')), [
    { text: '12345', end: 6 },
    { text: '12345', end: 11, isPart: true },
    { text: '6', end: 13, isPart: true },
  ])
})

const piece = fc.oneof(
  fc.constantFrom('"', '""', '","', '\n', '\r\n', ',', '"\n"', '\0', 'é', '😀', '"acc",'),
  fc.string({ maxLength: 5 }),
  fc.constant('x'.repeat(5000)),
)
const anyFile = fc.array(piece, { maxLength: 40 }).map(pieces => Buffer.from(pieces.join('')))

for (const [rule, longest] of [
  ['line', undefined],
  ['quoted', undefined],
  ['line', 7],
  ['quoted', 17_000],
] as const) {
  const limit = longest ? `with parts of ${longest} bytes` : 'with whole records'
  test(`by the ${rule} rule, ${limit}, a file gives the same records wherever it is cut`, () => {
    fc.assert(
      fc.property(anyFile, fc.array(fc.nat(), { maxLength: 12 }), (file, cuts) => {
        const places = [0, ...cuts.map(cut => cut % (file.length + 1)), file.length].sort((a, b) => a - b)
        const chunks = places.slice(1).map((end, index) => file.subarray(places[index], end))
        const [whole, cut] = [recordSplitter(rule, 0, longest), recordSplitter(rule, 0, longest)]
        assert.deepEqual(
          chunks.flatMap(chunk => cut.push(chunk)),
          whole.push(file),
        )
        assert.deepEqual(cut.rest(), whole.rest())
      }),
      { numRuns: 500 },
    )
  })
}
