import { type FieldError, invalid } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import { type Field, Problem, type Value } from '../field.ts'
import type { Fields, Values } from '../resource.ts'
import { broken, REQUIRED } from './field-errors.ts'

/**
 * What an omitted member means. create: its default. keep: the stored value stays, but required members must be
 * present. clear: null. merge: it stays, required or not.
 */
export type Mode = 'create' | 'keep' | 'clear' | 'merge'

export interface Parsed {
  /** The values that could be read, by field. */
  readonly values: Record<string, Value>
  /** One error for each field that breaks a rule, in the order of the declaration. */
  readonly errors: readonly FieldError[]
}

export const isAbsent = (field: Pick<Field, 'untrimmed'>, input: unknown): boolean =>
  input === undefined ||
  input === null ||
  input === '' ||
  (!field.untrimmed && typeof input === 'string' && input.trim() === '')

/**
 * Returns what null stores: a column that cannot be null takes its default; the default of a text applies on creation
 * only.
 */
export const empty = (field: Field): Value => (field.kind === 'text' ? null : field.fallback)

/** Parses the declared members, all of them even if some are wrong; ignores others. */
export function parseMembers(fields: Fields, body: JsonObject, mode: Mode): Parsed {
  const values: Record<string, Value> = {}
  const errors: FieldError[] = []
  for (const name in fields) {
    const field = fields[name]
    if (!field) continue
    const named = Object.hasOwn(body, name)
    const input = named ? body[name] : undefined
    if (!isAbsent(field, input)) {
      const value = field.parse(input)
      if (value instanceof Problem) errors.push(broken(name, value))
      else values[name] = value
    } else if (field.required && (named || mode !== 'merge')) {
      errors.push(broken(name, REQUIRED))
    } else if (mode === 'create') {
      values[name] = field.fallback
    } else if (named || mode === 'clear') {
      values[name] = empty(field)
    }
  }
  return { values, errors }
}

/** Returns a request's body, which must be an object; other JSON breaks a rule. */
export function asBody(body: unknown): JsonObject {
  if (!isJsonObject(body))
    throw invalid([{ rule: 'type', field: 'body', sentence: 'The request body must be a JSON object.' }])
  return body
}

/** Parses an object without references to check; throws a 422 with every sentence. */
export function parseWhole<F extends Fields>(fields: F, body: unknown): Values<F> {
  const { values, errors } = parseMembers(fields, asBody(body), 'create')
  if (errors.length > 0) throw invalid(errors)
  return values as Values<F>
}
