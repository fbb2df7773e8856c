import type { FieldError } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { Value } from '../../resources/field.ts'
import { isCompleted, namedReferences } from '../../resources/references/names.ts'
import type { Resource, Row } from '../../resources/resource.ts'
import { broken, REQUIRED } from '../../resources/values/field-errors.ts'
import type { Guide } from '../guide.ts'
import { keepsPlace } from '../imported-resource.ts'
import { Fault, type SourceRow } from '../input/cut.ts'
import { type CellRules, readerOf } from './cells.ts'
import type { Target, Targets } from './columns.ts'
import { evaluator, type Fixed, type Read, type ScopePart, type Slot, type Source } from './evaluate.ts'
import type { Names } from './names.ts'

export interface RowReader {
  /** The fields of the values that `read` returns. */
  readonly columns: readonly string[]
  /** Returns the column or member of a field; the field itself if several are possible. */
  columnOf(field: string): string
  /** Reads a row, as far as its names are known. */
  read(row: SourceRow): Read
}

export interface RowPlan {
  readonly resource: Resource
  readonly targets: Targets
  readonly constants: Readonly<Record<string, Value>>
  readonly fixed: Fixed | null
  /** What all records belong to by default: the tenant. */
  readonly within: Row
  readonly rules: CellRules
  readonly names: Names
}

/** The name under which errors on a whole row are reported. */
const ROW = 'row'

const fault = (sentence: string): Read => ({ errors: [{ rule: 'format', field: ROW, sentence }] })

/** Reads rows of a table with these columns (null: ignored). */
export function tableReader(plan: RowPlan, header: readonly string[], columns: readonly (Target | null)[]): RowReader {
  const mapped = columns.flatMap((target, index): Column[] =>
    target ? [{ target, index, name: nameAt(header, index) }] : [],
  )
  const { fields, slots } = slotsOf(plan, mapped)
  const evaluate = evaluator(slots, { ...plan, isSparse: false })
  const nameless = header.flatMap((name, index) => (name.trim() === '' ? [index] : []))
  let cells: readonly string[] = []
  const cellOf = ({ index }: Source): unknown => cells[index]
  return {
    columns: fields,
    columnOf: columnIn(slots),
    read: ({ content }) => {
      if (content instanceof Fault) return fault(content.sentence)
      if ('json' in content) return fault('The row is not a row of a table.')
      cells = content
      if (cells.length !== columns.length) return fault(widthSentence(cells.length, columns.length))
      const stray = nameless.find(index => cells[index]?.trim())
      if (stray !== undefined) return fault(`Cell ${stray + 1} is in a column without a name.`)
      return evaluate(cellOf)
    },
  }
}

function columnIn(slots: readonly Slot[]): RowReader['columnOf'] {
  const columns = new Map(
    slots.flatMap(({ field, sources: [source, ...others] }) =>
      source && others.length === 0 ? [[field, source.column] as const] : [],
    ),
  )
  return field => columns.get(field) ?? field
}

const nameAt = (header: readonly string[], index: number): string => header[index]?.trim() ?? ''

const widthSentence = (cells: number, columns: number): string =>
  `The row has ${cells} ${cells === 1 ? 'cell' : 'cells'} where the header has ${columns}.`

/** Reads JSON objects, whose members may differ; a missing member is undefined if that would keep the stored value. */
export function objectReader(plan: RowPlan): RowReader {
  const { resource, targets, constants } = plan
  const members = new Set([
    ...Object.keys(resource.fields),
    ...namedReferences(resource).map(({ column }) => column),
    ...targets.mapped,
  ])
  const columns = [...members].flatMap((name): Column[] => {
    const target = targets.of(name)
    return target && !Object.hasOwn(constants, target.field) ? [{ target, index: -1, name }] : []
  })
  const { fields, slots } = slotsOf(plan, columns)
  const evaluate = evaluator(slots, { ...plan, isSparse: !keepsPlace(resource) })
  // Their members are ignored, as --map says.
  const unread = Object.entries(resource.fields)
    .filter(([name, { required }]) => required && !fields.includes(name) && !Object.hasOwn(constants, name))
    .map(([name]) => broken(name, REQUIRED))
  return {
    columns: fields,
    columnOf: columnIn(slots),
    read: ({ content }) => {
      if (content instanceof Fault) return fault(content.sentence)
      const row = 'json' in content ? content.json : null
      if (!isJsonObject(row)) return fault('The row is not a JSON object.')
      const { value, errors: wrong } = named(plan, row)
      const errors = [...unread, ...wrong]
      const read = evaluate(({ column }) => (Object.hasOwn(value, column) ? value[column] : undefined))
      return errors.length > 0 ? { errors: [...errors, ...('errors' in read ? read.errors : [])] } : read
    },
  }
}

/** Returns the object with its members under their fields' names, and what is wrong with them. */
function named(plan: RowPlan, row: JsonObject): { value: JsonObject; errors: FieldError[] } {
  const written = Object.keys(row)
  const errors = written.flatMap(name => memberErrors(plan, name))
  const names = written.map(plan.targets.nameOf)
  if (names.every((name, at) => name === written[at])) return { value: row, errors }
  const value: JsonObject = {}
  names.forEach((name, at) => {
    const member = written[at] ?? name
    if (Object.hasOwn(value, name)) errors.push(repeated(member, written[names.indexOf(name)] ?? name))
    else Object.defineProperty(value, name, { value: row[member], enumerable: true })
  })
  return { value, errors }
}

export const repeated = (name: string, other: string): FieldError => ({
  rule: 'repeated',
  field: name,
  sentence: `The column is the same field as ${other}.`,
})

function memberErrors({ targets, constants }: RowPlan, name: string): FieldError[] {
  const target = targets.of(name)
  if (target === undefined) return [targets.unknown(name)]
  return target && Object.hasOwn(constants, target.field) ? [givenTwice(name, targets.guide)] : []
}

export const givenTwice = (name: string, guide: Guide): FieldError => ({
  rule: 'constant',
  field: name,
  sentence: `${guide.name('set')} also gives a value for ${name}.`,
})

interface Column {
  readonly target: Target
  readonly index: number
  readonly name: string
}

function slotsOf(plan: RowPlan, columns: readonly Column[]): { fields: string[]; slots: Slot[] } {
  const { resource, rules } = plan
  const fields = Object.keys(resource.fields).filter(field => columns.some(({ target }) => target.field === field))
  const slots = fields.flatMap((field, position): Slot[] => {
    const declared = resource.fields[field]
    if (!declared) return []
    const sources = columns.filter(({ target }) => target.field === field).map(column => sourceOf(plan, column, fields))
    const isList = declared.sheet === 'codes'
    return [{ field, declared, position, read: readerOf(declared, rules), isList, sources }]
  })
  // What completes a name must be read before it.
  const isLate = (slot: Slot): number =>
    Number(slot.sources.some(({ scope }) => 'position' in scope.kind || 'position' in scope.outer))
  return { fields, slots: slots.sort((a, b) => isLate(a) - isLate(b)) }
}

function sourceOf(
  { names, constants, within }: RowPlan,
  { target, index, name }: Column,
  fields: readonly string[],
): Source {
  const { reference, byName } = target
  const canBeNamed = reference !== null && (byName || !isCompleted(reference))
  const part = (field: string | null): ScopePart => {
    const position = field === null ? -1 : fields.indexOf(field)
    return position === -1 ? { constant: constants[field ?? ''] ?? within[field ?? ''] ?? null } : { position }
  }
  return {
    column: name,
    index,
    find: canBeNamed ? names.finder(reference, !byName) : null,
    scope: { kind: part(reference?.by ?? null), outer: part(reference?.outer ?? null) },
  }
}
