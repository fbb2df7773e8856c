import type { Database, Statement } from 'better-sqlite3'
import { AppError } from '../../../core/errors.ts'
import type { ImportPlace } from '../../../core/ports/bulk.ts'
import type { Field } from '../../../core/resources/field.ts'
import type { Resource, Row } from '../../../core/resources/resource.ts'
import { type Bound, toSql } from '../database/bound.ts'
import type { Foundation } from '../foundation.ts'

export type Named = Readonly<Record<string, Bound>>

const AT_ONCE = 20

/**
 * Inserts many rows with few calls. `tuple` is the SQL of one row; `fill` pushes the values of its `?` for the row at
 * an index, and `named` holds its named ones. SQLite copies every page that a multi-row statement touches if it must
 * be able to undo the statement alone, which costs as much as the rows. So a failure undoes the transaction: use it
 * without a savepoint, and preferably without enforced foreign keys.
 */
export function rowInserter(db: Database, into: string, tuple: string) {
  const statement = (rows: number): Statement<[...(Bound | Buffer)[], Named], unknown> =>
    db.prepare<[...(Bound | Buffer)[], Named], unknown>(
      `INSERT OR ROLLBACK INTO ${into} VALUES ${Array.from({ length: rows }, () => tuple).join()}`,
    )
  const many = statement(AT_ONCE)
  const one = statement(1)
  const bound: (Bound | Buffer)[] = []
  return (count: number, fill: (index: number, bound: (Bound | Buffer)[]) => void, named: Named = {}): void => {
    for (let next = 0; next < count; ) {
      const rows = count - next < AT_ONCE ? 1 : AT_ONCE
      bound.length = 0
      for (const end = next + rows; next < end; next++) fill(next, bound)
      const insert = rows === 1 ? one : many
      insert.run(...bound, named)
    }
  }
}

/** The declared defaults, for fields that neither the rows nor the constants set. */
export const defaultsOf = (resource: Resource): Named =>
  Object.fromEntries(Object.entries(resource.fields).map(([name, { fallback }]) => [name, toSql(fallback)]))

export const boundRow = (row: Row): Named =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toSql(value)]))

export const columnType = (field: Field | undefined): string =>
  field && ['integer', 'decimal', 'boolean'].includes(field.kind) ? 'INTEGER' : 'TEXT'

/** Stores a place if its input has the `former` mark, or no place. Throws `conflict` if the mark differs. */
export function storePlace(
  { connection, clock }: Pick<Foundation, 'connection' | 'clock'>,
  resource: Resource,
  { input, mark }: ImportPlace,
  former: string | null,
): void {
  const { changes } = connection
    .query<[string, string, string, string, string | null], unknown>(
      `INSERT INTO imports VALUES (?, ?, ?, ?) ON CONFLICT (resource, input)
     DO UPDATE SET mark = excluded.mark, updated_at = excluded.updated_at WHERE mark = ?`,
    )
    .run(resource.name, input, mark, clock.now(), former)
  if (changes === 0) throw new AppError('conflict', 'Another import of this input is running, so this one stops.')
}

/** The resource that each plain reference field points to; references that may dangle are not checked. */
export const checkedReferences = (resource: Resource): [field: string, to: string][] =>
  Object.entries(resource.fields).flatMap(([name, { references }]): [string, string][] =>
    references && typeof references.to === 'string' && references.onDelete !== 'keep' ? [[name, references.to]] : [],
  )

/** The references to one of several resources, with the field that says which. */
export const looseReferences = (resource: Resource) =>
  Object.entries(resource.fields).flatMap(([field, { references }]) => {
    if (!references || typeof references.to === 'string') return []
    const { by, ...targets } = references.to
    return [{ field, by, targets }]
  })
