import type { Database, Statement } from 'better-sqlite3'
import type { BulkCounts, Clock, ImportPlace } from '../../core/ports.ts'
import type { Field, Value } from '../../core/resources/field.ts'
import type { Resource, Row } from '../../core/resources/resource.ts'
import type { Connection } from './database.ts'
import { type Bound, toSql } from './records.ts'

/** Rows to a statement: past some fifty, a longer one saves no more calls worth the binding. */
const AT_ONCE = 50

export type Named = Readonly<Record<string, Bound>>

export const NOTHING: BulkCounts = { created: 0, updated: 0, skipped: 0, rejected: 0 }

export const bindable = (value: Value | undefined): Bound =>
  typeof value === 'boolean' ? Number(value) : (value ?? null)

/**
 * Inserts many rows with few calls. `tuple` is the SQL of one row; its `?` are filled from `values`, which holds
 * `width` for each row, its names from `named`.
 */
export function rowInserter(db: Database, into: string, tuple: string, width: number) {
  const statement = (rows: number): Statement<[Bound[], Named], unknown> =>
    db.prepare<[Bound[], Named], unknown>(
      `INSERT INTO ${into} VALUES ${Array.from({ length: rows }, () => tuple).join()}`,
    )
  const many = statement(AT_ONCE)
  const one = statement(1)
  return (values: Bound[], named: Named = {}): void => {
    const step = AT_ONCE * width
    let start = 0
    for (; start + step <= values.length; start += step) many.run(values.slice(start, start + step), named)
    for (; start < values.length; start += width) one.run(values.slice(start, start + width), named)
  }
}

/** What a new record holds where neither the rows nor the constants say: the declared default. */
export const defaultsOf = (resource: Resource): Named =>
  Object.fromEntries(Object.entries(resource.fields).map(([name, { fallback }]) => [name, bindable(fallback)]))

export const boundRow = (row: Row): Named =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toSql(value)]))

export const columnType = (field: Field | undefined): string =>
  field && ['integer', 'decimal', 'boolean'].includes(field.kind) ? 'INTEGER' : 'TEXT'

export function storePlace({ query }: Connection, clock: Clock, resource: Resource, place: ImportPlace): void {
  query<[string, string, string, string], unknown>('INSERT OR REPLACE INTO imports VALUES (?, ?, ?, ?)').run(
    resource.name,
    place.input,
    place.mark,
    clock.now(),
  )
}

/** The resource that each plain reference field points to; references that are kept dangling are no rule. */
export const checkedReferences = (resource: Resource): [field: string, to: string][] =>
  Object.entries(resource.fields).flatMap(([name, { references }]): [string, string][] =>
    references && typeof references.to === 'string' && references.onDelete !== 'keep' ? [[name, references.to]] : [],
  )
