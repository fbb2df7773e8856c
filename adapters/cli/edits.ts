import { type Command, Option } from 'commander'
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { Field } from '../../core/resources/field.ts'
import { edited, type Key, type KeyEdit, type Keys, NoObject } from '../../core/resources/references/keys.ts'
import { type Fields, fieldLabel } from '../../core/resources/resource.ts'
import type { Edits } from '../../core/use-cases/records/administer.ts'
import { quoted } from './command-line.ts'
import { CliError, EXIT } from './exit.ts'
import { camel, type Flags, flagOf } from './fields.ts'
import { printable } from './terminal/styles.ts'

/**
 * Edits single keys of JSON fields on the command line: `--settings-set dialling.country=US`, `--meta-unset
 * dlr_level`.
 */

const jsonFields = (fields: Fields): [name: string, field: Field][] =>
  Object.entries(fields).filter(([, { kind }]) => kind === 'json')

const collect = (value: string, before: string[] = []): string[] => [...before, value]

/** Adds flags that set single keys and, if the record `exists`, remove them. */
export function addEditFlags(command: Command, { fields }: { readonly fields: Fields }, exists: boolean): Command {
  for (const [name, field] of jsonFields(fields)) {
    const flag = `--${flagOf(name, field)}`
    const of = fieldLabel(name)
    const sample = Object.keys(field.keys ?? {})[0] ?? 'key'
    const set = new Option(
      `${flag}-set <key=value>`,
      `one key of ${of}, such as ${sample}=…; a dot separates nested keys; repeatable`,
    )
    command.addOption(set.argParser(collect))
    const unset = new Option(`${flag}-unset <key>`, `remove one key of ${of}; repeatable`)
    if (exists) command.addOption(unset.argParser(collect))
  }
  return command
}

/** Returns the edits of those flags, by field. Throws CliError. */
export function editsFrom(flags: Flags, { fields }: { readonly fields: Fields }): Edits {
  const all: Record<string, readonly KeyEdit[]> = {}
  for (const [name, field] of jsonFields(fields)) {
    const flag = flagOf(name, field)
    const edits = [
      ...valuesOf(flags, `${flag}-unset`).map(text => ({ path: pathIn(text), value: undefined })),
      ...valuesOf(flags, `${flag}-set`).map(text => setting(flag, field.keys ?? {}, text)),
    ]
    if (edits.length > 0) all[name] = edits
  }
  return all
}

/** Applies edits to fields that the body holds whole; the others remain, for stored values. */
export function withinBody(body: JsonObject, edits: Edits, isNew: boolean): { body: JsonObject; edits: Edits } {
  const left: Record<string, readonly KeyEdit[]> = {}
  const whole: JsonObject = { ...body }
  for (const [name, keyEdits] of Object.entries(edits)) {
    const object = whole[name] ?? (isNew ? {} : undefined)
    if (object === undefined) left[name] = keyEdits
    const next = isJsonObject(object) ? edited(object, keyEdits) : object
    if (next instanceof NoObject) throw new CliError(EXIT.data, `${name}.${next.path.join('.')} is not an object`)
    if (object !== undefined) whole[name] = next
  }
  return { body: whole, edits: left }
}

const valuesOf = (flags: Flags, flag: string): readonly string[] => {
  const values = flags[camel(flag)]
  return Array.isArray(values) ? values.map(String) : []
}

const ASSIGNMENT = /^((?:\\.|[^\\=])+)=(.*)$/s

function setting(flag: string, keys: Keys, text: string): KeyEdit {
  const [, key, value] = ASSIGNMENT.exec(text) ?? []
  if (key === undefined || value === undefined)
    throw new CliError(EXIT.usage, `--${flag}-set is written key=value, not ${text}`)
  const path = pathIn(key)
  return { path, value: valueIn(keyAt(keys, path), value) }
}

/** A backslash makes a dot, an equals sign or itself part of a key. */
const pathIn = (text: string): string[] =>
  [...text.matchAll(/(?:^|\.)((?:\\.|[^\\.])*)/gs)].map(([, name = '']) => name.replaceAll(/\\(.)/gs, '$1'))

const written = (path: readonly string[]): string =>
  path.map(name => name.replaceAll(/[\\.=]/g, String.raw`\$&`)).join('.')

function keyAt(keys: Keys | undefined, [name = '', ...rest]: readonly string[]): Key | undefined {
  const found = keys && Object.hasOwn(keys, name) ? keys[name] : undefined
  return rest.length === 0 ? found : keyAt(found?.keys, rest)
}

/** Parses JSON; returns the text itself if it is not JSON, or if the key holds text. */
function valueIn(key: Key | undefined, text: string): unknown {
  try {
    const value = parseJson(text)
    return key?.isText && typeof value !== 'string' ? text : value
  } catch {
    return text
  }
}

/** Returns the words that set a key to a value, or remove it (undefined). */
export function editWords(name: string, field: Field, { path, value }: KeyEdit): string {
  const flag = `--${flagOf(name, field)}`
  if (value === undefined) return `${flag}-unset ${quoted(written(path))}`
  const isPlain =
    typeof value === 'string' && value === printable(value) && valueIn(keyAt(field.keys, path), value) === value
  return `${flag}-set ${quoted(`${written(path)}=${isPlain ? value : stringifyJson(value)}`)}`
}
