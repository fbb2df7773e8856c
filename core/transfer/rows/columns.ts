import type { FieldError } from '../../errors.ts'
import { nearest, plain } from '../../nearest.ts'
import { Problem, type Value } from '../../resources/field.ts'
import { type NamedReference, namedReferences } from '../../resources/references/names.ts'
import type { Resource } from '../../resources/resource.ts'
import { broken, REQUIRED } from '../../resources/values/field-errors.ts'
import { TransferFailure } from '../failure.ts'
import type { Guide } from '../guide.ts'
import type { ImportOptions } from '../options.ts'
import type { CellRules } from './cells.ts'
import { readerOf } from './cells.ts'

/** The column of a reject file with the reason; an import ignores it. */
export const REASON = 'import_error'
/** Columns that the service sets itself, which an import ignores. */
const PASSED_OVER = new Set([REASON, 'id', 'created_at', 'updated_at'])

/** The field that a column of the input, or a member of its objects, is for. */
export interface Target {
  readonly field: string
  /** Set if the column names the reference, such as a tenant's slug in `tenant`. */
  readonly reference: NamedReference | null
  readonly byName: boolean
}

export interface Targets {
  /**
   * Returns the name that a column stands for, such as `Cost per minute` or `COST-PER-MINUTE`; the column itself if
   * there is none.
   */
  nameOf(column: string): string
  /** null: ignored; undefined: no such column. */
  of(column: string): Target | null | undefined
  /** Returns the error for an unknown column. */
  unknown(column: string): FieldError
  /** The columns that --map names. */
  readonly mapped: readonly string[]
  readonly guide: Guide
}

export function targetsOf(resource: Resource, map: ImportOptions['map'], guide: Guide): Targets {
  const references = namedReferences(resource)
  const byColumn = new Map<string, Target>()
  for (const field of Object.keys(resource.fields))
    byColumn.set(field, { field, byName: false, reference: references.find(named => named.field === field) ?? null })
  for (const reference of references)
    byColumn.set(reference.column, { field: reference.field, byName: true, reference })
  const fieldNamed = naming(byColumn.keys())
  const names = new Map(map.map(([column, name]) => [column, fieldNamed(name)]))
  for (const [column, name] of names)
    if (name !== '' && !byColumn.has(name))
      throw new TransferFailure(
        'usage',
        `${guide.name('map', `"${column}=${name}"`)}: ${noField(resource, name, nearest(name, byColumn.keys()))}`,
      )
  const nameOf = naming([...byColumn.keys(), ...PASSED_OVER, ...names.keys()])
  return {
    nameOf,
    guide,
    mapped: [...names.keys()],
    of: column => {
      const matched = nameOf(column)
      const name = names.get(matched) ?? matched
      return name === '' || PASSED_OVER.has(name) ? null : byColumn.get(name)
    },
    unknown: column => {
      const meant = nearest(column, byColumn.keys())
      const remedy = `. ${guide.strangeColumn(column)}.`
      const sentence = noField(resource, column, meant) + (meant === null ? remedy : '')
      return { rule: 'unknown', field: column, sentence, ...(meant === null ? {} : { detail: { meant } }) }
    },
  }
}

/**
 * Returns a function that finds the known name for a text, however it is spelt; the trimmed text itself if there is
 * none.
 */
function naming(names: Iterable<string>): (written: string) => string {
  const exact = new Set(names)
  const byForm = new Map(Array.from(exact, name => [plain(name), name]))
  return written => {
    const name = written.trim()
    return exact.has(name) ? name : (byForm.get(plain(name)) ?? name)
  }
}

const noField = ({ plural }: Resource, name: string, meant: string | null): string =>
  `${plural} have no field ${JSON.stringify(name)}${meant === null ? '' : `; did you mean ${meant}?`}`

/** Returns the constants of --set, parsed by the fields' rules. Throws on the first that breaks one. */
export function constantsOf(resource: Resource, texts: ImportOptions['set'], rules: CellRules): Record<string, Value> {
  const constants: Record<string, Value> = {}
  const fieldNamed = naming(Object.keys(resource.fields))
  for (const [written, text] of texts) {
    const name = fieldNamed(written)
    const field = resource.fields[name]
    if (!field)
      throw new TransferFailure(
        'usage',
        `${rules.guide.name('set', name)}: ${noField(resource, name, nearest(name, Object.keys(resource.fields)))}`,
      )
    if (text === '' && field.required)
      throw new TransferFailure('usage', `${rules.guide.name('set', name)}: ${broken(name, REQUIRED).sentence}`)
    const value = text === '' ? null : readerOf(field, rules)(text)
    if (value instanceof Problem)
      throw new TransferFailure('usage', `${rules.guide.name('set', name)}: ${broken(name, value).sentence}`)
    constants[name] = value
  }
  return constants
}
