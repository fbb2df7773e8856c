import type { BulkPlan, BulkRecord, BulkRecords, Column, Rejection } from './ports/bulk.ts'
import type { Value } from './resources/field.ts'

/** Packs records with the same fields into columns. */
export function packed(records: readonly BulkRecord[]): BulkRecords {
  const fields = records[0]?.values.length ?? 0
  return {
    count: records.length,
    rows: column(records.map(({ row }) => row)),
    lines: column(records.map(({ line }) => line)),
    raws: column(records.map(({ raw }) => raw)),
    values: Array.from({ length: fields }, (_, position) => column(records.map(({ values }) => values[position]))),
  }
}

/** Unpacks the record at an index. */
export function recordAt({ rows, lines, raws, values }: BulkRecords, index: number): BulkRecord {
  const raw = valueAt(raws, index)
  return {
    row: Number(valueAt(rows, index)),
    line: Number(valueAt(lines, index)),
    raw: typeof raw === 'string' ? raw : null,
    values: values.map(each => valueAt(each, index)),
  }
}

/** Reads one field of the record at an index; null if it has none. */
export type FieldReader = (records: BulkRecords, index: number) => Value

export function fieldReader(
  { columns, constants }: Pick<BulkPlan, 'columns' | 'constants'>,
  name: string,
): FieldReader {
  const position = columns.indexOf(name)
  const constant = constants[name] ?? null
  return position === -1 ? () => constant : ({ values }, index) => valueAt(values[position], index) ?? null
}

export const rowsOf = (rejections: readonly Rejection[]): ReadonlySet<number> =>
  new Set(rejections.map(({ row }) => row))

/** Returns the records of other rows than these. */
export function withoutRows(rows: ReadonlySet<number>, records: readonly BulkRecords[]): readonly BulkRecords[] {
  if (rows.size === 0) return records
  return records.map(some => {
    const kept = Array.from({ length: some.count }, (_, index) => index).filter(
      index => !rows.has(Number(valueAt(some.rows, index))),
    )
    return kept.length === some.count ? some : packed(kept.map(index => recordAt(some, index)))
  })
}

export const countOf = (records: readonly BulkRecords[]): number => records.reduce((sum, { count }) => sum + count, 0)

export function valueAt(column: Column | undefined, index: number): Value | undefined {
  if (column instanceof Float64Array) {
    const value = column[index] ?? Number.NaN
    return Number.isNaN(value) ? null : value
  }
  if (column === undefined || 'values' in column) return column?.values[index]
  const end = column.ends[index] ?? -1
  return end < 0 ? null : column.text.slice(beginning(column.ends, index), end)
}

/** Each text begins where the previous one ends. */
function beginning(ends: Int32Array, index: number): number {
  const end = index === 0 ? 0 : (ends[index - 1] ?? 0)
  return end < 0 ? ~end : end
}

type Values = readonly (Value | undefined)[]

const column = (values: Values): Column => numbers(values) ?? texts(values) ?? { values }

function numbers(values: Values): Float64Array | null {
  const found = new Float64Array(values.length)
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (typeof value !== 'number' && value !== null) return null
    found[index] = value ?? Number.NaN
  }
  return found
}

function texts(values: Values): Column | null {
  const ends = new Int32Array(values.length)
  let end = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (typeof value !== 'string' && value !== null) return null
    end += value?.length ?? 0
    ends[index] = value === null ? ~end : end
  }
  return { ends, text: values.join('') }
}
