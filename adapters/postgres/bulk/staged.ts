import { valueAt } from '../../../core/packed-records.ts'
import type { BulkPlan, BulkRecords } from '../../../core/ports/bulk.ts'
import type { Field } from '../../../core/resources/field.ts'
import type { Row } from '../../../core/resources/resource.ts'
import type { Loading } from '../database/database.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import { typeOf } from '../records/record-rules.ts'

/** The rows of an import in a temporary table, and what statements need to know about them. */
export interface Staged {
  readonly plan: BulkPlan
  /** Do the rows or the constants give this field? */
  isGiven(field: string): boolean
  /** The value of a field in the staged row `s`. */
  of(field: string): Sql
  /** The same, or `otherwise` if the row has no value. */
  orElse(field: string, otherwise: Sql): Sql
  /** What a new record holds if the row gives nothing. */
  fallback(field: string): Sql
}

/** The column that says whether a row of a sparse plan has a value of that field. */
const flagOf = (field: string): string => `has_${field}`

export function stagedSql(plan: BulkPlan): Staged {
  const { resource, columns, constants } = plan
  const defaults: Row = Object.fromEntries(
    Object.entries(resource.fields).map(([name, { fallback }]) => [name, fallback]),
  )
  const typed = (name: string, value: Row[string] | undefined): Sql => {
    const field = resource.fields[name]
    return sql`${value ?? null}::${raw(stagedType(field))}`
  }
  const of = (name: string): Sql =>
    columns.includes(name) ? raw(`s.${name}`) : typed(name, { ...defaults, ...constants }[name])
  return {
    plan,
    isGiven: name => columns.includes(name) || Object.hasOwn(constants, name),
    of,
    orElse: (name, otherwise) =>
      plan.isSparse && columns.includes(name)
        ? sql`CASE WHEN ${raw(`s.${flagOf(name)}`)} THEN ${of(name)} ELSE ${otherwise} END`
        : of(name),
    fallback: name => typed(name, { ...defaults, ...constants }[name]),
  }
}

/** A column in comparable form: JSON is compared as text. */
export const comparable = ({ plan }: Staged, alias: string, name: string): Sql =>
  raw(plan.resource.fields[name]?.kind === 'json' ? `${alias}.${name}::text` : `${alias}.${name}`)

export async function openStage(queries: Queries, { resource, columns, isSparse }: BulkPlan): Promise<void> {
  const typed = columns.map(name => {
    const field = resource.fields[name]
    return `, ${name} ${stagedType(field)}${stagedType(field) === 'text' ? ' COLLATE "C"' : ''}`
  })
  const flags = isSparse ? columns.map(name => `, ${flagOf(name)} boolean`) : []
  await queries.script(`
    CREATE TEMP TABLE import_rows (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, row bigint, line bigint, raw text
      ${[...typed, ...flags].join('')});
    CREATE TEMP TABLE import_matches (seq bigint PRIMARY KEY, id bigint, several boolean);
    CREATE TEMP TABLE import_problems (row bigint, line bigint, raw text, field text, kind text, detail bigint);`)
}

/** JSON is staged as text, which can be compared. */
const stagedType = (field: Field | undefined): string => (!field || field.kind === 'json' ? 'text' : typeOf(field))

export function stage(queries: Loading, plan: BulkPlan, records: BulkRecords): Promise<void> {
  const { columns, isSparse } = plan
  const flags = isSparse ? columns.map(flagOf) : []
  return queries.copy('import_rows', ['row', 'line', 'raw', ...columns, ...flags], rowsOf(plan, records))
}

function* rowsOf({ columns, isSparse }: BulkPlan, { count, rows, lines, raws, values }: BulkRecords) {
  for (let index = 0; index < count; index++) {
    const raw = valueAt(raws, index)
    const fields = columns.map((_, position) => valueAt(values[position], index))
    yield [
      ...[valueAt(rows, index) ?? null, valueAt(lines, index) ?? null],
      typeof raw === 'string' ? raw.replaceAll('\0', '\ufffd') : null,
      ...fields.map(value => value ?? null),
      ...(isSparse ? fields.map(value => value !== undefined) : []),
    ]
  }
}
