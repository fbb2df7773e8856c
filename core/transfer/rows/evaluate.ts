import type { FieldError, FieldErrors } from '../../errors.ts'
import { codesIn, codeWarning } from '../../rating/carrier-sheet.ts'
import { type Field, Problem, type Value } from '../../resources/field.ts'
import { fieldLabel } from '../../resources/resource.ts'
import { broken, REQUIRED, unselectable } from '../../resources/values/field-errors.ts'
import { empty, isAbsent } from '../../resources/values/input.ts'
import type { Reader } from './cells.ts'
import type { Finder, Scope } from './names.ts'

/** An accepted value that may not mean what it seems to. */
export type Warning = Pick<FieldError, 'field' | 'sentence'>

/** The records of a row (several if a cell holds several codes), as values in the order of the columns. */
export type Read =
  | { readonly records: readonly (readonly (Value | undefined)[])[]; readonly warnings: readonly Warning[] }
  | { readonly errors: FieldErrors }

/** A field of the records, and the source of its value. */
export interface Slot {
  readonly field: string
  readonly declared: Field
  /** The position of its value in a record. */
  readonly position: number
  readonly read: Reader
  /** True if one cell may hold several codes, each of which makes a record. */
  readonly isList: boolean
  /** The columns or members for it; several if a reference may be given by id or by name. */
  readonly sources: readonly Source[]
}

export interface Source {
  readonly column: string
  /** The index of its cell in a row. */
  readonly index: number
  /** Finds the record that the text names; null if only ids are allowed. */
  readonly find: Finder | null
  /** What the name is looked up within, such as the record's tenant. */
  readonly scope: { readonly [part in keyof Scope]: ScopePart }
}

/** A value of the record being read, by its position, or one that all records share. */
export type ScopePart = { readonly position: number } | { readonly constant: Value }

/** A value that a field must have, or has by default. */
export interface Fixed {
  readonly field: string
  readonly value: Value
  /** The flag that sets it. */
  readonly named: string
  readonly flag: string
}

type Values = (Value | undefined)[]

/** The values of several records, from one cell. */
class Several {
  readonly values: readonly Value[]
  constructor(values: readonly Value[]) {
    this.values = values
  }
}

/** What all records share, and whether missing values stay undefined. */
export interface Shared {
  readonly constants: Readonly<Record<string, Value>>
  readonly fixed: Fixed | null
  readonly isSparse: boolean
}

/** Returns a function that reads the slots of a row. */
export function evaluator(slots: readonly Slot[], { constants, fixed, isSparse }: Shared) {
  const blank: Values = slots.map(() => null)
  const needs = needsOf(slots, constants)
  const coded = slots.filter(({ declared }) => declared.sheet === 'codes')
  return (cellOf: (source: Source) => unknown): Read => {
    const values = blank.slice()
    const errors: FieldError[] = []
    let codes: readonly Value[] | null = null
    let listed = 0
    for (const slot of slots) {
      const [first] = slot.sources
      const source =
        slot.sources.length === 1 ? first : (slot.sources.find(candidate => cellOf(candidate) !== undefined) ?? first)
      if (!source) continue
      const found = cellOf(source)
      const value = isAbsent(slot.declared, found)
        ? absent(slot, found === undefined && isSparse, fixed)
        : present(slot, source, found, values)
      if (value instanceof Problem) errors.push(errorOn(slot, source, value))
      else if (value instanceof Several) {
        codes = value.values
        listed = slot.position
      } else if (fixed?.field === slot.field && value !== fixed.value)
        errors.push(broken(source.column, new Problem('constant', `must be ${fixed.named}, as ${fixed.flag} says`)))
      else values[slot.position] = value
    }
    const missing = needs.length > 0 && errors.length === 0 ? missingIn(needs, values) : null
    if (missing) errors.push(missing)
    if (errors.length > 0) return { errors }
    const records = codes === null ? [values] : codes.map(code => values.with(listed, code))
    return { records, warnings: warningsOn(coded, records) }
  }
}

/** A field that must be given if another one is. */
interface Need {
  readonly by: Pick<Slot, 'field' | 'position'>
  readonly field: string
  readonly position: number
}

const needsOf = (slots: readonly Slot[], constants: Shared['constants']): Need[] =>
  slots.flatMap(by =>
    (by.declared.needs ?? [])
      .filter(field => !Object.hasOwn(constants, field))
      .map(field => ({ by, field, position: slots.find(slot => slot.field === field)?.position ?? -1 })),
  )

function missingIn(needs: readonly Need[], values: Values): FieldError | null {
  const broke = needs.find(
    ({ by, position }) => (values[by.position] ?? null) !== null && (values[position] ?? null) === null,
  )
  if (!broke) return null
  return broken(broke.field, new Problem('required', `is required with ${fieldLabel(broke.by.field)}`))
}

function warningsOn(coded: readonly Slot[], records: readonly Values[]): Warning[] {
  const warnings: Warning[] = []
  for (const { field, position } of coded)
    for (const values of records) {
      const warning = codeWarning(String(values[position] ?? ''))
      if (warning !== null) warnings.push({ field, sentence: warning })
    }
  return warnings
}

function absent(slot: Slot, isUnnamed: boolean, fixed: Fixed | null): Value | undefined | Problem {
  if (fixed?.field === slot.field) return fixed.value
  if (slot.declared.required) return REQUIRED
  return isUnnamed ? undefined : empty(slot.declared)
}

function present(slot: Slot, source: Source, cell: unknown, values: Values): Value | Problem | Several {
  if (slot.isList && typeof cell === 'string') return listIn(slot, cell)
  if (source.find === null || typeof cell !== 'string') return slot.read(cell)
  const { kind, outer } = source.scope
  const id = source.find({ kind: partOf(kind, values), outer: partOf(outer, values) }, cell.trim())
  return id ?? null
}

const partOf = (part: ScopePart, values: Values): Value =>
  'constant' in part ? part.constant : (values[part.position] ?? null)

function listIn(slot: Slot, cell: string): Value | Problem | Several {
  const codes = codesIn(cell)
  if (codes instanceof Problem) return codes
  const values: Value[] = []
  for (const code of codes) {
    const value = slot.declared.parse(code)
    if (value instanceof Problem) return value
    values.push(value)
  }
  return values.length === 1 ? (values[0] ?? null) : new Several(values)
}

/** A name of no record gets the same sentence as an id that does not exist. */
const errorOn = ({ field }: Slot, { column, find }: Source, problem: Problem): FieldError =>
  find && problem.rule !== 'required' ? unselectable(column, problem) : { ...broken(field, problem), field: column }
