import fc from 'fast-check'
import { isJsonObject } from '../../core/json.ts'

/** JSON values for a schema: valid ones, edge cases and invalid ones. */

type Schema = Readonly<Record<string, unknown>>

/** Marks text that goes into a body verbatim, where JSON.stringify would write it differently. */
const verbatim = (text: string): string => `VERBATIM<${text}>`

/** JSON text with the marked pieces verbatim. */
export const toText = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(/"VERBATIM<([^>]*)>"/g, '$1')

const numeric = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

const anyText = (maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }) },
    {
      weight: 2,
      arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 20)) }),
    },
    {
      weight: 1,
      arbitrary: fc.string({ unit: 'binary', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }),
    },
  )

function textFor(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern } = schema
  const free = anyText(numeric(schema.maxLength, 2000), numeric(schema.minLength, 0))
  if (format === 'email') return fc.oneof(fc.emailAddress(), free)
  if (format === 'uri') return fc.oneof(fc.webUrl(), free)
  // The generator does not support patterns by Unicode property; examples replace them.
  if (typeof pattern !== 'string' || pattern.includes('\\p')) return free
  return fc.oneof(fc.stringMatching(new RegExp(pattern)), free)
}

function typesOf({ type, anyOf }: Schema): string[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap(each => (isJsonObject(each) ? typesOf(each) : []))
  return [type].flat().filter(each => typeof each === 'string')
}

function right(schema: Schema): fc.Arbitrary<unknown> {
  const { examples } = schema
  const types = typesOf(schema)
  const least = numeric(schema.minimum, -1000)
  const whole = fc.integer({ min: least, max: Math.max(least, numeric(schema.maximum, 100_000)) })
  const byType: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    integer: fc.oneof(whole, whole.map(String)),
    number: fc.oneof(
      fc.double({ min: 0, max: 9_000, noNaN: true }),
      whole.map(value => `${Math.abs(value)}.12345`),
    ),
    string: types.includes('integer') || types.includes('number') ? whole.map(String) : textFor(schema),
    boolean: fc.boolean(),
    null: fc.constant(null),
    object: fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }),
  }
  const fitting = types.flatMap(type => byType[type] ?? [])
  if (fitting.length === 0) fitting.push(fc.constantFrom(true, false, 0, 1, 'on', 'yes', 'false', 'TRUE'))
  const typed = fc.oneof(...fitting)
  if (!Array.isArray(examples)) return typed
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...examples) }, { weight: 1, arbitrary: typed })
}

function edges(schema: Schema): fc.Arbitrary<unknown> {
  const { minimum, maximum, maxLength } = schema
  const numbers = [minimum, maximum]
    .filter(bound => typeof bound === 'number')
    .flatMap(bound => [bound - 1, bound, bound + 1])
  const length = numeric(maxLength, 3000)
  const letters = ['a', 'é', '😀', '‮', ' '].flatMap(letter => [letter.repeat(length), letter.repeat(length + 1)])
  return fc.constantFrom<unknown>(...numbers, ...numbers.map(String), ...letters, '', ' ', '\t\n', ' 7 ', '007', '+1')
}

const nested = (depth: number): string => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`

const wrong: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(
      ...[null, true, [], {}, [[]], { toString: 1 }, -1, 1.5, 0.1 + 0.2, 2 ** 53, -(2 ** 53), 1e308],
      ...['1e3', '0x10', 'NaN', '-0', '1,5', '٣', '\u0000', '\ud800', 'a\u0000b', '<script>', "' OR 1=1 --", '../../x'],
      ...['2026-02-30', '9999-12-31 23:59:60', '0000-01-01', '2026-10-01T00:00:00+14:00', '0000-01-01T00:00:00+23:59'],
      ...['1e400', '-0', '1E+2', '12345678901234567890.123456789', `${'9'.repeat(400)}`, '0.00005'].map(verbatim),
      ...[31, 32, 33, 400].map(depth => verbatim(nested(depth))),
      ...['{"__proto__":{"x":1},"constructor":null}', '{"a":1,"a":2}', '"\\ud83d"'].map(verbatim),
    ),
  },
)

/** The only machine that a generated gateway may point to: this one. */
const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]', '127.8.8.8']
const NO_HOSTS: unknown[] = [
  '',
  ' ',
  'u@127.0.0.1',
  'http://127.0.0.1',
  '127.0.0.1/x',
  'a'.repeat(256),
  7,
  null,
  {},
  [],
]

/** True if nothing in a body makes the service connect to another machine. */
export function staysHere(text: string): boolean {
  const hosts = [...text.matchAll(/"server_host"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(([, host]) =>
    JSON.parse(host ?? '""'),
  )
  return hosts.every(host => LOOPBACK.includes(host) || NO_HOSTS.includes(host))
}

/** A member's value; mostly valid, since one invalid member refuses a whole body. */
export function valueFor(name: string, schema: Schema, gatewayPort: number): fc.Arbitrary<unknown> {
  if (name === 'server_host')
    return fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom<unknown>(...LOOPBACK) },
      { weight: 1, arbitrary: fc.constantFrom(...NO_HOSTS) },
    )
  if (name === 'server_port')
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant<unknown>(gatewayPort) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(0, 1, 65_535, 65_536, -1, '1.5', null, [], `${gatewayPort}`) },
    )
  return fc.oneof(
    { weight: 94, arbitrary: right(schema) },
    { weight: 3, arbitrary: edges(schema) },
    { weight: 3, arbitrary: wrong },
  )
}

export const anyValue = wrong
