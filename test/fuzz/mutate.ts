import fc from 'fast-check'

/** What trips parsers: ends, quotes, escapes, controls, depth, length, numbers out of range. */
const HOSTILE: readonly string[] = [
  ...[
    '\0',
    '\n',
    '\r',
    '\r\n',
    '\t',
    '"',
    '""',
    "'",
    ',',
    ';',
    ':',
    '|',
    '=',
    '&',
    '%',
    '%00',
    '%zz',
    '+',
    '\\',
    '\\u0000',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '{"',
    '[[[[[[[[',
    '<!--',
    '\u001b]0;x\u0007',
    '\u001b[2J',
    '\u009b',
    '\u202e',
    '\ufeff',
    '\ud800',
  ],
  ...[
    '=1+1',
    '@SUM(A1)',
    'NaN',
    '-0',
    '1e999',
    '0x10',
    '-1',
    '1.5',
    '__proto__',
    "' OR 1=1 --",
    '$(id)',
    '`id`',
    '%n%s',
  ],
  ...[
    '9'.repeat(400),
    'x'.repeat(5_000),
    '😀'.repeat(300),
    '"'.repeat(99),
    '2026-02-30 25:61:61',
    '9999-12-31 23:59:59',
  ],
]

interface Edit {
  /** Where to cut and how much of the text, as shares of it. */
  readonly at: number
  readonly gone: number
  readonly put: string
}

const share = fc.double({ min: 0, max: 0.999, noNaN: true })

const edits: fc.Arbitrary<Edit> = fc.record({
  at: share,
  gone: fc.oneof(fc.constant(0), fc.constant(0.01), share),
  put: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
    { weight: 1, arbitrary: fc.constant('') },
  ),
})

const edited = (text: string, { at, gone, put }: Edit): string => {
  const from = Math.floor(at * text.length)
  return text.slice(0, from) + put + text.slice(from + Math.floor(gone * text.length))
}

/** The text itself, or changed in some places. */
export const mutated = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.oneof(fc.constant([]), fc.array(edits, { minLength: 1, maxLength: 4 })))
    .map(([text, changes]) => changes.reduce(edited, text))

export const hostileText: fc.Arbitrary<string> = fc.constantFrom(...HOSTILE)
