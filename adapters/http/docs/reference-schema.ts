import { isJsonObject } from '../../../core/json.ts'
import { type Html, html } from './html.ts'
import type { Schema } from './openapi-schemas.ts'

export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Turns `…` within a text into code. */
export const prose = (text: string): Html[] =>
  text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))

const between = (parts: readonly Html[], separator: string): Html[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [html`${separator}`, part]))

/** "string or null", "array of Extension", a link to a record. */
export function typeOf(schema: Schema): Html {
  const { $ref, anyOf, type, items } = schema
  if (typeof $ref === 'string') return html`<a href="#schema-${nameIn($ref)}">${nameIn($ref)}</a>`
  if (Array.isArray(anyOf)) return html`${between(anyOf.map(typeOf), ' or ')}`
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (isJsonObject(items)) return html`array of ${typeOf(items)}`
  return html`${Array.isArray(type) ? type.join(' or ') : String(type ?? 'anything')}`
}

/** "1 to 255 characters". */
function rangeOf(least: unknown, most: unknown, unit: string): string[] {
  if (typeof most === 'number' && most < Number.MAX_SAFE_INTEGER)
    return [`${typeof least === 'number' ? `${least} to ` : 'at most '}${most}${unit}`]
  return typeof least === 'number' ? [`${least}${unit} or more`] : []
}

/** The rules of a value beyond its type. */
function rulesOf(schema: Schema, isRequired: boolean, about: string): Html[] {
  const { minLength, maxLength, minimum, maximum, format, description, examples } = schema
  const allowed = Array.isArray(schema.enum) ? [`one of ${schema.enum.map(value => `\`${value}\``).join(', ')}`] : []
  const rules = [
    ...(isRequired ? ['required'] : []),
    ...allowed,
    ...rangeOf(minLength, maxLength, ' characters'),
    ...rangeOf(minimum, maximum, ''),
    ...(typeof format === 'string' ? [format] : []),
    ...('default' in schema ? [`default \`${JSON.stringify(schema.default)}\``] : []),
    ...(Array.isArray(examples) ? [`such as \`${JSON.stringify(examples[0])}\``] : []),
  ].join(', ')
  const sentences = [rules, typeof description === 'string' ? description : '', about].filter(text => text !== '')
  return prose(sentences.map(text => text.replace(/\.$/, '')).join('. '))
}

/** A table of values: name, type and rules. */
export const valueTable = (
  values: readonly { name: string; schema: Schema; required: boolean; about?: string }[],
): Html =>
  html`<table><thead><tr><th>name</th><th>type</th><th>rules</th></tr></thead><tbody>${values.map(
    ({ name, schema, required, about = '' }) =>
      html`<tr><td><code>${name}</code></td><td>${typeOf(schema)}</td><td>${rulesOf(schema, required, about)}</td></tr>\n`,
  )}</tbody></table>`

/** Lists the members of an object; nothing for any other schema. */
export function membersOf({ properties, required }: Schema): Html {
  if (!isJsonObject(properties)) return html``
  const names = Array.isArray(required) ? required : []
  return valueTable(
    Object.entries(properties).flatMap(([name, schema]) =>
      isJsonObject(schema) ? [{ name, schema, required: names.includes(name) }] : [],
    ),
  )
}

/** Returns the schema itself instead of a reference to it. */
export function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const { $ref } = schema
  return typeof $ref === 'string' ? (schemas[nameIn($ref)] ?? schema) : schema
}
