import { randomBytes } from 'node:crypto'
import { type Command, Option } from 'commander'
import { type JsonObject, parseJson } from '../../core/json.ts'
import type { Selection } from '../../core/ports/records.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { type Field, Problem } from '../../core/resources/field.ts'
import { type Fields, fieldLabel, type Resource } from '../../core/resources/resource.ts'
import { broken } from '../../core/resources/values/field-errors.ts'
import { isAbsent } from '../../core/resources/values/input.ts'
import { written } from '../../core/resources/values/written.ts'
import { type Context, type Services, warnOfSecret } from './context.ts'
import { again, CliError, EXIT } from './exit.ts'
import { readSecret } from './input.ts'
import { referenceForm, resolve } from './naming/references.ts'
import { suggests } from './naming/suggestions.ts'

/** What commander read, by the camel-cased name of the flag. */
export type Flags = Readonly<Record<string, unknown>>

export const camel = (name: string): string => name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())

const kebab = (name: string): string => name.replaceAll('_', '-')

/** `tenant_id` is given as --tenant, in any form that names a tenant. */
export const flagOf = (name: string, { references }: Pick<Field, 'references'>): string =>
  kebab(references ? name.replace(/_id$/, '') : name)

export const labelOfField = (name: string, { references }: Pick<Field, 'references'>): string =>
  fieldLabel(references ? name.replace(/_id$/, '') : name)

/** Returns what a reference may point to: one resource, or one of several that another field selects. */
function targetsOf({ references }: Pick<Field, 'references'>): readonly Resource[] {
  if (!references) return []
  if (typeof references.to === 'string') return [resourceNamed(references.to)]
  const { by: _, ...targets } = references.to
  return Object.values(targets).map(resourceNamed)
}

/** Returns what a reference points to, in a body that says which; null if unknown. */
export function targetIn({ references }: Pick<Field, 'references'>, body: JsonObject): Resource | null {
  if (!references) return null
  if (typeof references.to === 'string') return resourceNamed(references.to)
  const { by, ...targets } = references.to
  const name = targets[String(body[by])]
  return name === undefined ? null : resourceNamed(name)
}

/** Describes a field. `isNew`: for a flag that creates a record, which must have what is required. */
function describe(name: string, field: Field, isNew = false): [flag: string, about: string] {
  const flag = `--${flagOf(name, field)}`
  const targets = targetsOf(field)
  const notes = [
    ...(field.unit ? [field.unit] : field.kind === 'date' ? ['UTC unless it has a zone'] : []),
    ...(isNew && field.required ? [field.secret ? 'required, in one of these ways' : 'required'] : []),
  ]
  const about = labelOfField(name, field) + (notes.length > 0 ? ` (${notes.join(', ')})` : '')
  if (targets.length > 0) return [`${flag} <${[...new Set(targets.map(referenceForm))].join('|')}>`, about]
  if (field.kind === 'boolean') return [`${flag} [yes|no]`, about]
  if (field.kind === 'json') return [`${flag} <json>`, `${about}, as a JSON object`]
  const values = field.choices ?? field.examples
  const hint = values && !field.secret ? `${about}: ${field.choices ? '' : 'e.g. '}${values.join(', ')}` : about
  return [`${flag} <${field.kind === 'date' ? 'date' : field.kind === 'text' ? 'text' : 'number'}>`, hint]
}

/** Returns what a shell may offer for a field: the only valid values, or the usual ones. */
function valuesOf({ kind, choices, examples = [], secret }: Field): readonly string[] {
  if (kind === 'boolean') return ['yes', 'no']
  return choices ?? (examples.length > 1 && !secret ? examples : [])
}

/** Adds a flag for each declared field, and for a secret one also those that keep it out of the process list. */
export function addFieldFlags(command: Command, { fields }: { readonly fields: Fields }, isNew: boolean): Command {
  for (const [name, field] of Object.entries(fields)) {
    const option = suggests(new Option(...describe(name, field, isNew)), valuesOf(field))
    command.addOption(option)
    if (!field.secret) continue
    const fromFile = new Option(
      `--${kebab(name)}-file <file>`,
      `${fieldLabel(name)} from a file, or - for standard input`,
    )
    command.addOption(fromFile.conflicts(option.attributeName()))
    if (!field.generated) continue
    const random = new Option(`--generate-${kebab(name)}`, `generate a random ${fieldLabel(name)}`)
    command.addOption(random.conflicts([option.attributeName(), fromFile.attributeName()]))
  }
  return command
}

export const randomSecret = (): string => randomBytes(18).toString('base64url')

/** True if a random value was requested, which nobody has seen yet. */
export const isGenerating = (flags: Flags): boolean => Object.keys(flags).some(flag => flag.startsWith('generate'))

/** Returns the body of a request from the given flags. References become ids; the use case checks the rest. */
export async function bodyFrom(
  flags: Flags,
  { fields }: { readonly fields: Fields },
  context: Context,
  { records }: Services,
): Promise<JsonObject> {
  const body: JsonObject = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = flags[camel(flagOf(name, field))]
    const file = flags[camel(`${name}-file`)]
    if (typeof file === 'string') body[name] = await readSecret(context.io, file)
    else if (flags[camel(`generate-${name}`)] === true) body[name] = randomSecret()
    else if (value !== undefined) body[name] = flagValue(name, field, value)
    if (field.secret && typeof value === 'string' && value !== '')
      warnOfSecret(context, `--${kebab(name)}`, `--${kebab(name)}-file reads it from a file or, with -, standard input`)
  }
  for (const [name, field] of Object.entries(fields)) {
    const value = body[name]
    if (!field.references || typeof value !== 'string' || value === '') continue
    const target = targetIn(field, body) ?? untold(name, field, fields)
    body[name] = await resolve(records, target, value, body)
  }
  return body
}

/** A name cannot be looked up until the field that says what it names is valid. */
function untold(name: string, field: Field, fields: Fields): never {
  const { by = '', ...targets } = typeof field.references?.to === 'object' ? field.references.to : {}
  const flag = `--${flagOf(by, fields[by] ?? {})}`
  const kinds = Object.keys(targets)
  throw new CliError(
    EXIT.usage,
    `--${flagOf(name, field)} needs ${flag}, which is ${kinds.join(' or ')}`,
    again(flag, ...kinds.slice(0, 1)),
  )
}

/** Returns a flag's value for a field; an empty one counts as absent, like an empty cell. */
function flagValue(name: string, field: Field, input: unknown): unknown {
  if (field.kind === 'json') return jsonFlag(name, String(input))
  return isAbsent(field, input) ? input : writtenFlag(name, field, input)
}

function writtenFlag(name: string, field: Field, input: unknown): unknown {
  const value = written(field, input)
  if (!(value instanceof Problem)) return value
  const flag = `--${kebab(name)}`
  if (field.kind === 'boolean') throw new CliError(EXIT.usage, `${flag} ${value.predicate}`, again(flag, 'yes'))
  throw new CliError(EXIT.data, `${flag}: ${broken(name, value).sentence}`)
}

function jsonFlag(name: string, text: string): unknown {
  if (text.trim() === '') return null
  try {
    return parseJson(text)
  } catch {
    throw new CliError(EXIT.data, `--${kebab(name)} is not valid JSON; write --${kebab(name)} '{"key": "value"}'`)
  }
}

/** The fields that a list can be filtered by: references, and those with a few usual values. */
const filterable = (resource: Resource): [name: string, field: Field][] =>
  Object.entries(resource.fields).filter(
    ([, field]) =>
      field.references !== undefined ||
      field.kind === 'boolean' ||
      (field.kind === 'text' && valuesOf(field).length > 0),
  )

/** Adds a flag for each field that a list can be filtered by. */
export function addFilterFlags(command: Command, resource: Resource): Command {
  for (const [name, field] of filterable(resource)) {
    const flag = (field.synonym ? `--${field.synonym}, ` : '') + describe(name, field)[0]
    const about = field.references ? `filter by ${labelOfField(name, field)}` : `filter by ${fieldLabel(name)}`
    command.addOption(suggests(new Option(flag, about), valuesOf(field)))
  }
  return command
}

/** Returns the filters as a storage compares them; `scope` completes the names in them. */
export async function filtersFrom(
  flags: Flags,
  resource: Resource,
  { records }: Pick<Services, 'records'>,
  scope: Readonly<Record<string, number>> = {},
): Promise<NonNullable<Selection['where']>> {
  const where: Record<string, string | number | readonly string[]> = {}
  for (const [name, field] of filterable(resource)) {
    const value = flags[camel(flagOf(name, field))]
    if (value === undefined) continue
    if (field.references)
      where[name] = await resolve(
        records,
        targetIn(field, where) ?? untold(name, field, resource.fields),
        String(value),
        { ...scope, ...where },
      )
    else
      where[name] =
        field.kind === 'boolean' ? Number(writtenFlag(name, field, value)) : textsMeant(field, String(value).trim())
  }
  return where
}

const loosely = (text: string): string => text.toUpperCase().replaceAll(/[-_]/g, ' ')

/**
 * Returns the text and the usual one that differs slightly: `no-answer` finds `NO ANSWER`. Texts for rules must match
 * exactly.
 */
function textsMeant({ known, examples = [] }: Field, text: string): string | readonly string[] {
  const usual = known ? undefined : examples.find(example => loosely(example) === loosely(text))
  return usual === undefined || usual === text ? text : [text, usual]
}
