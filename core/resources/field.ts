import Type, { type TSchema } from 'typebox'
import { parseAmount } from '../amounts.ts'
import { parseDate } from '../dates.ts'
import type { Rule } from '../errors.ts'
import { isJsonObject, isShallow, MAX_DEPTH, numeral, stringifyJson } from '../json.ts'
import type { Keys } from './references/keys.ts'
import type { TextRule } from './values/text-rules.ts'

/**
 * A field's value as the core and the storage hold it: text; integers (amounts in units of 0.0001); booleans; dates as
 * UTC timestamps; JSON objects as text.
 */
export type Value = string | number | boolean | null

/** A broken rule, with the end of a sentence that begins with the field's label. */
export class Problem {
  readonly rule: Rule
  readonly predicate: string
  constructor(rule: Rule, predicate: string) {
    this.rule = rule
    this.predicate = predicate
  }
}

/** How a value is stored and shown: determines the column's type, the JSON form and the alignment in tables. */
export type Kind = 'text' | 'integer' | 'decimal' | 'boolean' | 'date' | 'json'

/**
 * The record that a field points to (of one resource, or of the one that another field names), and what happens to
 * this record when that one is deleted. keep: nothing, the id stays.
 */
export interface Reference {
  readonly to: string | Readonly<Record<'by', string> & Record<string, string>>
  readonly onDelete: 'restrict' | 'clear' | 'cascade' | 'keep'
}

export interface Field<T extends Value = Value> {
  readonly kind: Kind
  readonly required: boolean
  /** The value of an omitted member on create. */
  readonly fallback: T | null
  /** Parses a value that is not null. Never throws. */
  readonly parse: (input: unknown) => T | Problem
  /** The JSON Schema of the field in requests. */
  readonly input: TSchema
  /** The JSON Schema of the field in responses, apart from null. */
  readonly output: TSchema
  readonly references?: Reference
  /** Accepted in requests, absent from responses. */
  readonly writeOnly?: true
  /** Shown by the API, hidden in terminals unless requested. */
  readonly secret?: true
  /** A URL whose query values are hidden in terminals unless requested. */
  readonly secretQuery?: true
  /** Leading and trailing blanks are part of the value. */
  readonly untrimmed?: true
  /** The command line can generate a random value. */
  readonly generated?: true
  /** Without a length limit: one record may be larger than everything else read at once. */
  readonly unbounded?: true
  /** May have several lines. */
  readonly long?: true
  /** The only valid values. */
  readonly choices?: readonly string[]
  readonly examples?: readonly string[]
  /** The unit of a number, if the name does not say. */
  readonly unit?: string
  /** Another common name: lists can be filtered by either. */
  readonly synonym?: string
  /** The values that rules act on, among all that may be stored. */
  readonly known?: readonly string[]
  /** What any other value counts as; by default the first of `known`. */
  readonly otherwise?: string
  /** The keys that rules read, among all that a JSON object may hold. */
  readonly keys?: Keys
  /** What a carrier's sheet may hold here: several codes, an inexact price, two intervals. */
  readonly sheet?: 'codes' | 'price' | 'interval'
  /** Holds what phones dial: a number, or also any name that a switch knows. See `written`. */
  readonly dialled?: 'number' | 'name'
  /** Other fields that must be given in the same row of a file. */
  readonly needs?: readonly string[]
}

interface Optional {
  readonly optional?: true
}

const isOptional = (options?: Optional): boolean => options?.optional === true

type Nullable<T, O> = O extends { optional: true } ? T | null : T

interface TextOptions extends Optional {
  readonly untrimmed?: true
  readonly fallback?: string
  readonly rule?: TextRule
  readonly secret?: true
  readonly secretQuery?: true
  readonly writeOnly?: true
  readonly generated?: true
  readonly examples?: readonly string[]
  readonly synonym?: string
  readonly known?: readonly string[]
  readonly otherwise?: string
  readonly dialled?: 'number' | 'name'
}

const codePoints = (text: string): number => {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    count++
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++
  }
  return count
}

/** Text of at most `max` code points, trimmed by default. */
export function text<const O extends TextOptions>(max: number | null, options?: O): Field<Nullable<string, O>> {
  const { rule, untrimmed, optional, known, examples = known, ...rest }: TextOptions = options ?? {}
  const { fallback = null, ...marks } = rest
  const schema = Type.String({
    ...(optional ? {} : { minLength: 1 }),
    ...(max === null ? {} : { maxLength: max }),
    ...(rule?.schema ?? {}),
    ...(examples ? { examples: [...examples] } : {}),
  })
  return {
    kind: 'text',
    required: !optional && fallback === null,
    fallback,
    input: schema,
    output: Type.String(),
    ...marks,
    ...(untrimmed ? { untrimmed } : {}),
    ...(max === null ? { unbounded: true } : {}),
    ...(max === null || max > 255 ? { long: true } : {}),
    ...(rule?.choices ? { choices: rule.choices } : {}),
    ...(examples ? { examples } : {}),
    ...(known ? { known } : {}),
    parse: input => {
      if (typeof input !== 'string') return new Problem('type', 'must be a string')
      if (max !== null && input.length > max && codePoints(untrimmed ? input : input.trim()) > max)
        return new Problem('max', `must not be greater than ${max} characters`)
      // UTF-8 cannot hold half a surrogate pair, which becomes U+FFFD.
      const value = (untrimmed ? input : input.trim()).toWellFormed()
      if (value.includes('\0')) return new Problem('format', 'must not contain the character NUL')
      return rule && !rule.holds(value) ? new Problem('format', rule.predicate) : value
    },
  }
}

const INTEGER = /^[+-]?\d{1,16}$/

interface IntegerOptions extends Optional {
  readonly min?: number
  readonly max?: number
  readonly fallback?: number
  readonly unit?: string
  readonly examples?: readonly number[]
}

function parseInteger(input: unknown): number | null {
  if (typeof input === 'number') return Number.isSafeInteger(input) ? input : null
  const digits = numeral(input)?.trim()
  if (digits === undefined || !INTEGER.test(digits)) return null
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : null
}

/** A whole number, given as a number or as digits. */
export function integer<const O extends IntegerOptions>(options?: O): Field<Nullable<number, O>> {
  const { min, max, optional, unit, examples, ...rest }: IntegerOptions = options ?? {}
  const fallback = rest.fallback ?? null
  const bounds = { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) }
  return {
    kind: 'integer',
    required: !optional && fallback === null,
    fallback,
    input: Type.Unsafe({
      type: ['integer', 'string'],
      ...bounds,
      pattern: '^\\s*[+-]?\\d{1,16}\\s*$',
      ...(examples ? { examples: [...examples] } : {}),
    }),
    output: Type.Integer(),
    ...(unit ? { unit } : {}),
    parse: input => {
      const value = parseInteger(input)
      if (value === null) return new Problem('type', 'must be an integer')
      if (min !== undefined && value < min) return new Problem('min', `must be at least ${min}`)
      if (max !== undefined && value > max) return new Problem('max', `must not be greater than ${max}`)
      return value
    },
  }
}

/** A reference to a record of another resource, by its id. The storage checks that it exists. */
export function refersTo<const O extends Optional>(
  to: Reference['to'],
  onDelete: Reference['onDelete'],
  options?: O,
): Field<Nullable<number, O>> {
  return { ...integer(options), references: { to, onDelete } }
}

/** A negative amount is refused even if it would round to zero. */
const BELOW_ZERO = /^\s*-[\d.]*[1-9]/

/** A non-negative amount of money, in units of 0.0001; in responses, text with four decimals. */
export function decimal<const O extends Optional>(options?: O): Field<Nullable<number, O>> {
  return {
    kind: 'decimal',
    required: !isOptional(options),
    fallback: null,
    input: Type.Unsafe({
      type: ['number', 'string'],
      minimum: 0,
      pattern: '^\\s*\\+?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d{1,3})?\\s*$',
      examples: [0.0123],
    }),
    output: Type.String({ pattern: '^\\d+\\.\\d{4}$', examples: ['0.0123'] }),
    parse: input => {
      const units = parseAmount(input)
      if (units === null) return new Problem('type', 'must be a number')
      return BELOW_ZERO.test(numeral(input) ?? '') ? new Problem('min', 'must be at least 0') : units
    },
  }
}

const TRUE: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 'on', 'yes'])

/** True for true, 1, "1", "true", "on" and "yes"; everything else given is false. */
export function boolean(): Field<boolean> {
  return {
    kind: 'boolean',
    required: false,
    fallback: false,
    input: Type.Unsafe({ description: 'true, 1, "1", "true", "on" and "yes" are true; everything else is false' }),
    output: Type.Boolean(),
    parse: input => TRUE.has(typeof input === 'string' ? input.trim() : input),
  }
}

/** A moment, kept in UTC with microseconds. */
export function date<const O extends Optional>(options?: O): Field<Nullable<string, O>> {
  return {
    kind: 'date',
    required: !isOptional(options),
    fallback: null,
    input: Type.String({ examples: ['2026-10-01 12:00:00', '2026-10-01T12:00:00Z'] }),
    output: timestampSchema,
    parse: input => {
      if (typeof input !== 'string') return new Problem('type', 'must be a valid date')
      return parseDate(input.trim()) ?? new Problem('type', 'must be a valid date')
    },
  }
}

export const timestampSchema: TSchema = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$',
  examples: ['2026-10-01T12:00:00.000000Z'],
})

/** An arbitrary JSON object, stored unchanged. */
export function json(keys?: Keys): Field<string | null> {
  return {
    kind: 'json',
    ...(keys ? { keys } : {}),
    required: false,
    fallback: null,
    unbounded: true,
    input: Type.Object({}, { additionalProperties: true }),
    output: Type.Object({}, { additionalProperties: true }),
    parse: input => {
      if (!isJsonObject(input)) return new Problem('type', 'must be an object')
      return isShallow(input)
        ? stringifyJson(input)
        : new Problem('max', `must not nest deeper than ${MAX_DEPTH} levels`)
    },
  }
}
