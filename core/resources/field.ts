import Type, { type TSchema } from 'typebox'
import { parseAmount } from '../amounts.ts'
import { parseDate } from '../dates.ts'
import type { Rule } from '../errors.ts'
import { isJsonObject, isShallow, MAX_DEPTH, numeral, stringifyJson } from '../json.ts'
import type { Keys } from './references/keys.ts'
import type { TextRule } from './values/text-rules.ts'

/**
 * A field's value as the core and the storage hold it: text; integers (amounts in units of 0.0001); booleans;
 * dates as UTC timestamps; JSON objects as their text.
 */
export type Value = string | number | boolean | null

/** What is wrong with a value: the rule, and the end of a sentence that begins with the field's label. */
export class Problem {
  readonly rule: Rule
  readonly predicate: string
  constructor(rule: Rule, predicate: string) {
    this.rule = rule
    this.predicate = predicate
  }
}

/** How a value is kept and shown: it decides the column's type, the JSON form and the alignment in a table. */
export type Kind = 'text' | 'integer' | 'decimal' | 'boolean' | 'date' | 'json'

/**
 * The record a field points to (of one resource, or of the one that another field names), and what becomes of this
 * record when that one is deleted. keep: nothing, the id stays.
 */
export interface Reference {
  readonly to: string | Readonly<Record<'by', string> & Record<string, string>>
  readonly onDelete: 'restrict' | 'clear' | 'cascade' | 'keep'
}

export interface Field<T extends Value = Value> {
  readonly kind: Kind
  readonly required: boolean
  /** What an omitted member becomes on create. */
  readonly fallback: T | null
  /** Reads a given, non-null value. Never throws. */
  readonly parse: (given: unknown) => T | Problem
  /** The JSON Schema of what a request may hold. */
  readonly input: TSchema
  /** The JSON Schema of what a response holds, null aside. */
  readonly output: TSchema
  readonly references?: Reference
  /** Accepted in requests, in no response. */
  readonly writeOnly?: true
  /** Shown by the API, hidden at a terminal unless asked for. */
  readonly secret?: true
  /** A URL, of which the values in its query are hidden at a terminal unless asked for. */
  readonly secretQuery?: true
  /** Blanks belong to the value. */
  readonly untrimmed?: true
  /** A random value will do: the command line makes one on request. */
  readonly generated?: true
  /** Without a length limit: one record may be larger than everything else that is read at once. */
  readonly unbounded?: true
  /** The only values that hold. */
  readonly choices?: readonly string[]
  readonly examples?: readonly string[]
  /** What a number counts, where its name does not say. */
  readonly unit?: string
  /** What people call the field as well: lists can be narrowed by either name. */
  readonly synonym?: string
  /** The values that rules know, of all that may be stored. */
  readonly known?: readonly string[]
  /** What any other value counts as; the first of those without it. */
  readonly otherwise?: string
  /** The keys that rules read, of all that a JSON object may hold. */
  readonly keys?: Keys
  /** What a carrier's sheet may hold in the place of a plain value: several codes, an inexact price, two intervals. */
  readonly sheet?: 'codes' | 'price' | 'interval'
  /** Holds what telephones dial: a number, or any name that a switch knows as well. See `written`. */
  readonly dialled?: 'number' | 'name'
  /** Other fields of the same row of a file that must be given where this one is. */
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

/** Text of at most `max` code points, trimmed unless told otherwise. */
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
    ...(rule?.choices ? { choices: rule.choices } : {}),
    ...(examples ? { examples } : {}),
    ...(known ? { known } : {}),
    parse: given => {
      if (typeof given !== 'string') return new Problem('type', 'must be a string')
      if (max !== null && given.length > max && codePoints(untrimmed ? given : given.trim()) > max)
        return new Problem('max', `must not be greater than ${max} characters`)
      // Half a character, which UTF-8 cannot hold, becomes U+FFFD.
      const value = (untrimmed ? given : given.trim()).toWellFormed()
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

function parseInteger(given: unknown): number | null {
  if (typeof given === 'number') return Number.isSafeInteger(given) ? given : null
  const digits = numeral(given)?.trim()
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
    parse: given => {
      const value = parseInteger(given)
      if (value === null) return new Problem('type', 'must be an integer')
      if (min !== undefined && value < min) return new Problem('min', `must be at least ${min}`)
      if (max !== undefined && value > max) return new Problem('max', `must not be greater than ${max}`)
      return value
    },
  }
}

/** A reference to a record of another resource, by its id. Its existence is the storage's to check. */
export function refersTo<const O extends Optional>(
  to: Reference['to'],
  onDelete: Reference['onDelete'],
  options?: O,
): Field<Nullable<number, O>> {
  return { ...integer(options), references: { to, onDelete } }
}

/** What rounds to zero is below it all the same. */
const BELOW_ZERO = /^\s*-[\d.]*[1-9]/

/** An amount of money, not negative, in units of 0.0001; in responses text with four places. */
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
    parse: given => {
      const units = parseAmount(given)
      if (units === null) return new Problem('type', 'must be a number')
      return BELOW_ZERO.test(numeral(given) ?? '') ? new Problem('min', 'must be at least 0') : units
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
    parse: given => TRUE.has(typeof given === 'string' ? given.trim() : given),
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
    parse: given => {
      if (typeof given !== 'string') return new Problem('type', 'must be a valid date')
      return parseDate(given.trim()) ?? new Problem('type', 'must be a valid date')
    },
  }
}

export const timestampSchema: TSchema = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$',
  examples: ['2026-10-01T12:00:00.000000Z'],
})

/** An arbitrary JSON object, kept as it is. */
export function json(keys?: Keys): Field<string | null> {
  return {
    kind: 'json',
    ...(keys ? { keys } : {}),
    required: false,
    fallback: null,
    unbounded: true,
    input: Type.Object({}, { additionalProperties: true }),
    output: Type.Object({}, { additionalProperties: true }),
    parse: given => {
      if (!isJsonObject(given)) return new Problem('type', 'must be an object')
      return isShallow(given)
        ? stringifyJson(given)
        : new Problem('max', `must not nest deeper than ${MAX_DEPTH} levels`)
    },
  }
}
