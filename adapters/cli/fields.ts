import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { formatAmount } from '../../core/amounts.ts'
import { type JsonObject, parseJson } from '../../core/json.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import type { Field } from '../../core/resources/field.ts'
import type { Resource, Row } from '../../core/resources/resource.ts'
import type { Context, Services } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import { readSecret } from './input.ts'
import { referenceForm, resolve } from './references.ts'

/** What commander read, by the camel-cased name of the flag. */
export type Flags = Readonly<Record<string, unknown>>

const camel = (name: string): string => name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())

const kebab = (name: string): string => name.replaceAll('_', '-')

/** `tenant_id` is given with --tenant, in any form that names a tenant. */
const flagOf = (name: string, { references }: Field): string =>
  kebab(references && typeof references.to === 'string' ? name.replace(/_id$/, '') : name)

const referred = ({ references }: Field): Resource | null =>
  references && typeof references.to === 'string' ? resourceNamed(references.to) : null

function describe(name: string, field: Field): [flag: string, about: string] {
  const flag = `--${flagOf(name, field)}`
  const target = referred(field)
  const label = name.replaceAll('_', ' ')
  const about = `${label}${field.required ? '' : ' (optional)'}`
  const example = field.choices ?? field.examples
  const hint = example ? `${about}: ${field.choices ? '' : 'e.g. '}${example.join(', ')}` : about
  if (target) return [`${flag} <${referenceForm(target)}>`, about]
  if (field.kind === 'boolean') return [`${flag} [yes|no]`, about]
  if (field.kind === 'json') return [`${flag} <json>`, `${about}, as a JSON object`]
  return [`${flag} <${field.kind === 'date' ? 'date' : field.kind === 'text' ? 'text' : 'number'}>`, hint]
}

/** A flag for each declared field, and for a secret one the ways that keep it out of the process list. */
export function addFieldFlags(command: Command, resource: Resource): Command {
  for (const [name, field] of Object.entries(resource.fields)) {
    command.option(...describe(name, field))
    if (!field.secret) continue
    command.option(`--${kebab(name)}-file <file>`, `${name.replaceAll('_', ' ')} from a file, or - for standard input`)
    if (field.generated) command.option(`--generate-${kebab(name)}`, `make a random ${name.replaceAll('_', ' ')}`)
  }
  return command
}

/** The body of a request, from the flags that were given. References become ids; the rest is checked by the use case. */
export async function bodyFrom(
  flags: Flags,
  resource: Resource,
  context: Context,
  { records }: Services,
): Promise<JsonObject> {
  const body: JsonObject = {}
  for (const [name, field] of Object.entries(resource.fields)) {
    const target = referred(field)
    const given = flags[camel(flagOf(name, field))]
    const file = flags[camel(`${name}-file`)]
    if (typeof file === 'string') body[name] = await readSecret(context.io, file)
    else if (flags[camel(`generate-${name}`)] === true) body[name] = randomBytes(18).toString('base64url')
    else if (given === undefined) continue
    else if (target && typeof given === 'string' && given !== '') body[name] = await resolve(records, target, given)
    else body[name] = field.kind === 'json' ? jsonFlag(name, String(given)) : given
  }
  return body
}

function jsonFlag(name: string, text: string): unknown {
  if (text.trim() === '') return null
  try {
    return parseJson(text)
  } catch {
    throw new CliError(EXIT.data, `--${kebab(name)} is not valid JSON`, `write --${kebab(name)} '{"key": "value"}'`)
  }
}

/** A stored record as the body of a request that would store it again. */
export function bodyOf(resource: Resource, row: Row): JsonObject {
  return Object.fromEntries(
    Object.entries(resource.fields).map(([name, { kind }]) => {
      const value = row[name] ?? null
      if (kind === 'decimal' && typeof value === 'number') return [name, formatAmount(value)]
      return [name, kind === 'json' && typeof value === 'string' ? parseJson(value) : value]
    }),
  )
}
