import { sentencesByField } from '../../../core/errors.ts'
import { isJsonObject, parseJson, stringifyJson } from '../../../core/json.ts'
import type { Field } from '../../../core/resources/field.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { parseMembers } from '../../../core/resources/values/input.ts'
import type { RecordData } from '../state/api.ts'
import { idIn } from '../state/location.ts'
import type { Draft } from './fields.tsx'

/** Returns the initial values of a form: the record, or the defaults and the presets in the page's query. */
export function draftOf(resource: Resource, record: RecordData | null, preset: URLSearchParams): Draft {
  return Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]) => {
      if (record) return [name, field.kind === 'json' ? jsonText(record[name]) : (record[name] ?? '')]
      const given = preset.get(name)
      if (given !== null) return [name, presetOf(field, given)]
      if (field.kind === 'boolean') return [name, name === 'is_active']
      return [name, field.fallback ?? field.known?.[0] ?? (field.choices ? field.choices[0] : '')]
    }),
  )
}

function presetOf({ references, kind }: Field, given: string): unknown {
  if (references) return idIn(given) ?? ''
  return kind === 'boolean' ? given === 'true' : given
}

const jsonText = (value: unknown): string => (isJsonObject(value) ? stringifyJson(value, 2) : '')

export interface Checked {
  /** What to send: everything filled in, or the changes to a stored record. */
  readonly body: Readonly<Record<string, unknown>>
  readonly errors: Readonly<Record<string, readonly string[]>>
}

/** Validates a form by the service's rules, with the same sentences. */
export function checked(resource: Pick<Resource, 'fields'>, draft: Draft, original: Draft | null): Checked {
  const errors: Record<string, readonly string[]> = {}
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(draft)) {
    const field = resource.fields[name]
    if (!field || (original && value === original[name])) continue
    // A secret stays as it is unless one is typed.
    if (original && field.secret && value === '') continue
    if (field.kind !== 'json' || String(value).trim() === '') body[name] = value === '' ? null : value
    else
      try {
        body[name] = parseJson(String(value))
      } catch {
        errors[name] = [`The ${name} field is not valid JSON.`]
      }
  }
  const parsed = parseMembers(resource.fields, body, original ? 'merge' : 'create')
  return { body, errors: { ...sentencesByField(parsed.errors), ...errors } }
}

/** True if a stored record has the values filled in for a new one, as far as they are shown. */
export function holds({ fields }: Pick<Resource, 'fields'>, record: RecordData, body: Checked['body']): boolean {
  const shown = Object.keys(body).filter(name => !fields[name]?.secret && !fields[name]?.writeOnly)
  const filled = shown.filter(name => body[name] !== null)
  const valuesOf = (of: Checked['body']) =>
    parseMembers(fields, Object.fromEntries(filled.map(name => [name, of[name] ?? null])), 'merge').values
  const [stored, given] = [valuesOf(record), valuesOf(body)]
  return filled.every(name => stringifyJson(stored[name]) === stringifyJson(given[name]))
}
