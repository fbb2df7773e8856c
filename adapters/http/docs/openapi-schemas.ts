import { unseenBySome } from '../../../core/access/fields.ts'
import { formatAmount } from '../../../core/amounts.ts'
import { isJsonObject } from '../../../core/json.ts'
import { exposedResources, resourceNamed } from '../../../core/resources/all.ts'
import { type Field, Problem, timestampSchema } from '../../../core/resources/field.ts'
import { type Embed, type Fields, type Resource, timestamped } from '../../../core/resources/resource.ts'
import { smsMessages } from '../../../core/resources/sms-messages.ts'

/** JSON Schemas of records and requests with matching examples, derived from the declarations. */

export type Schema = Readonly<Record<string, unknown>>

export type View = 'plain' | 'list' | 'single'

const SUFFIX: Readonly<Record<View, string>> = { plain: '', list: 'InList', single: 'InFull' }

/** Turns "SMS gateway" into SmsGateway. */
export const pascal = (label: string): string =>
  label
    .split(' ')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('')

export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const refToRecord = ({ label }: Resource, view: View): Schema => refTo(`${pascal(label)}${SUFFIX[view]}`)

/** The body that creates or replaces a record, or, if a PATCH merges, the one that changes it. */
export const refToInput = ({ label, patch }: Resource, method: string): Schema =>
  refTo(`${pascal(label)}${method === 'PATCH' && patch === 'merge' ? 'Changes' : 'Input'}`)

export const idSchema: Schema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] }
const countSchema: Schema = { type: 'integer', minimum: 0, examples: [1] }

export const objectOf = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
})

const plainSchema = (schema: object): Schema => Object.fromEntries(Object.entries(schema))

function orNull(schema: Schema): Schema {
  const { type } = schema
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] }
  if (Array.isArray(type)) return { ...schema, type: [...type, 'null'] }
  return '$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** A boolean is never null; among the others, optional fields may be. */
const canBeNull = ({ required, kind }: Field): boolean => !required && kind !== 'boolean'

const shown = (fields: Fields): [string, Field][] => Object.entries(fields).filter(([, field]) => !field.writeOnly)

const isShown = (embed: Embed, view: View): boolean =>
  view !== 'plain' && (embed.kind === 'one' || embed.in === 'views' || embed.in === view)

const pick = <T>(members: Readonly<Record<string, T>>, only?: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !only || only.includes(name)))

function ownProperties({ fields, ...rest }: Resource): Record<string, Schema> {
  const properties: Record<string, Schema> = { id: idSchema }
  for (const [name, field] of shown(fields)) {
    const schema = plainSchema(field.output)
    properties[name] = canBeNull(field) ? orNull(schema) : schema
  }
  for (const name of timestamped(rest)) properties[name] = plainSchema(timestampSchema)
  return properties
}

const LEFT_OUT = 'Left out for accounts that may not see it.'

/** An object of members, of which accounts without all rights get only some. */
function shownTo(resource: Resource, members: Readonly<Record<string, Schema>>): Schema {
  const unseen = unseenBySome(resource)
  const properties = Object.entries(members).map(([name, schema]) => [
    name,
    unseen.has(name) ? { ...schema, description: LEFT_OUT } : schema,
  ])
  return objectOf(
    Object.fromEntries(properties),
    Object.keys(members).filter(name => !unseen.has(name)),
  )
}

function embedSchema(resource: Resource, embed: Embed): Schema {
  if (embed.kind === 'count') return countSchema
  const from = resourceNamed(embed.from)
  const record = embed.only ? shownTo(from, pick(ownProperties(from), embed.only)) : refToRecord(from, 'plain')
  if (embed.kind === 'many') return { type: 'array', items: record }
  const via = resource.fields[embed.via]
  return via && canBeNull(via) ? { anyOf: [record, { type: 'null' }] } : record
}

function recordSchema(resource: Resource, view: View): Schema {
  const embeds = resource.embeds.filter(embed => isShown(embed, view))
  return {
    ...shownTo(resource, {
      ...ownProperties(resource),
      ...Object.fromEntries(embeds.map(embed => [embed.name, embedSchema(resource, embed)])),
    }),
    examples: [exampleRecord(resource, view)],
  }
}

export function inputSchema(fields: Fields, { whole }: { whole: boolean }): Schema {
  const properties = Object.entries(fields).map(([name, { required, input }]) => {
    const schema = plainSchema(input)
    return [name, required ? schema : orNull(schema)] as const
  })
  const required = Object.keys(fields).filter(name => whole && fields[name]?.required)
  return { ...objectOf(Object.fromEntries(properties), required), examples: [exampleInput(fields)] }
}

function exampleGiven({ input, kind, references }: Field): unknown {
  if ('examples' in input && Array.isArray(input.examples)) return input.examples[0]
  if (references) return 1
  const examples: Record<Field['kind'], unknown> = {
    text: 'text',
    integer: 1,
    decimal: 0,
    boolean: true,
    date: '2026-10-01 12:00:00',
    json: { note: 'any JSON object' },
  }
  return examples[kind]
}

function exampleShown(field: Field): unknown {
  const value = field.parse(exampleGiven(field))
  if (value instanceof Problem) throw new Error(`An example ${value.predicate}: ${JSON.stringify(exampleGiven(field))}`)
  if (field.kind === 'decimal') return formatAmount(Number(value))
  return field.kind === 'json' ? JSON.parse(String(value)) : value
}

const exampleInput = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, exampleGiven(field)]))

const NOW = '2026-10-01T12:00:00.000000Z'

function exampleRecord(resource: Resource, view: View, only?: readonly string[]): Record<string, unknown> {
  const own: Record<string, unknown> = { id: 1 }
  for (const [name, field] of shown(resource.fields)) own[name] = exampleShown(field)
  for (const name of timestamped(resource)) own[name] = NOW
  for (const embed of resource.embeds.filter(embed => isShown(embed, view))) {
    if (embed.kind === 'count') own[embed.name] = 1
    else {
      const record = exampleRecord(resourceNamed(embed.from), 'plain', embed.only)
      own[embed.name] = embed.kind === 'one' ? record : [record]
    }
  }
  return pick(own, only)
}

/** Rules of a body beyond its schema, for people. */
function rulesOf({ unique, limit }: Resource): string {
  const sentences = unique.map(set => `No two records share the same \`${set.join('` and `')}\`.`)
  if (limit) sentences.push(`A parent record holds at most its \`${limit.max}\`.`)
  return [...sentences, 'Other members are ignored.'].join(' ')
}

/** Every schema that operations refer to, by name; built in steps. */
export function* componentSchemas(): Generator<void, Record<string, Schema>> {
  const schemas: Record<string, Schema> = {}
  const add = (resource: Resource, views: readonly View[]): void => {
    for (const view of views) schemas[`${pascal(resource.label)}${SUFFIX[view]}`] = recordSchema(resource, view)
  }
  for (const resource of exposedResources) {
    add(resource, ['plain', 'list', 'single'])
    const name = pascal(resource.label)
    const input = inputSchema(resource.fields, { whole: true })
    schemas[`${name}Input`] = { ...input, description: rulesOf(resource) }
    if (resource.patch === 'merge') schemas[`${name}Changes`] = inputSchema(resource.fields, { whole: false })
    yield
  }
  add(smsMessages, ['plain'])
  for (const { embeds } of exposedResources)
    for (const embed of embeds) if (embed.kind === 'many' && !embed.only) add(resourceNamed(embed.from), ['plain'])
  return schemas
}

/** Returns an example of a schema, following references to components. */
export function exampleOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown {
  const { $ref, examples, items, properties, anyOf } = schema
  if (typeof $ref === 'string') {
    const named = schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
    return named ? exampleOf(named, schemas) : undefined
  }
  if (Array.isArray(examples)) return examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0], schemas)
  if (isJsonObject(items)) return [exampleOf(items, schemas)]
  if (!isJsonObject(properties)) return undefined
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) =>
      isJsonObject(member) ? [[name, exampleOf(member, schemas)]] : [],
    ),
  )
}
