import type { FieldError, FieldErrors } from '../../errors.ts'
import { isJsonObject } from '../../json.ts'
import { nearest } from '../../nearest.ts'
import type { TextInput } from '../../ports/transfer.ts'
import type { Value } from '../../resources/field.ts'
import { broken, REQUIRED } from '../../resources/values/field-errors.ts'
import { TransferFailure } from '../failure.ts'
import type { Format } from '../formats.ts'
import type { Guide } from '../guide.ts'
import type { ImportOptions } from '../options.ts'
import type { Target } from '../rows/columns.ts'
import { givenTwice, objectReader, type RowPlan, type RowReader, repeated, tableReader } from '../rows/rows.ts'
import { csvSplitter, detectDialect } from './csv.ts'
import { Fault, type Splitter } from './cut.ts'
import { arraySplitter, ndjsonSplitter } from './json.ts'

/** An input whose format and columns are known. */
export interface OpenedSource {
  readonly reader: RowReader
  /** What all records have in common. */
  readonly constants: Readonly<Record<string, Value>>
  /** Returns the splitter for the next rows: from the beginning, or from a place within. */
  splitter(isWithin: boolean): Splitter
  /** What is wrong with the whole input, in which case nothing is read. */
  readonly errors: FieldErrors
  readonly delimiter: string
  readonly newline: string
  readonly header: string
}

export async function openSource(
  input: TextInput,
  format: Format,
  plan: RowPlan,
  options: ImportOptions,
): Promise<OpenedSource> {
  if (format === 'csv') return openTable(input, plan, options.delimiter)
  return {
    reader: objectReader(plan),
    constants: plan.constants,
    splitter: isWithin => (format === 'json' ? arraySplitter(isWithin) : ndjsonSplitter),
    errors: [],
    delimiter: ',',
    newline: '\n',
    header: '',
  }
}

async function openTable(input: TextInput, plan: RowPlan, delimiter: string | undefined): Promise<OpenedSource> {
  const dialect = detectDialect(input.head, delimiter)
  const splitter = csvSplitter(dialect)
  const { content, raw } = await headerRow(input, splitter, `sep=${dialect.delimiter}`)
  const columns = content.map(name => (name.trim() === '' ? null : plan.targets.of(name.trim())))
  const targets = columns.map(target => target ?? null)
  const { fixed } = plan
  const names = (field: string): boolean => targets.some(target => target?.field === field)
  const isConstant = fixed !== null && !names(fixed.field)
  const constants = isConstant ? { ...plan.constants, [fixed.field]: fixed.value } : plan.constants
  const effective = { ...plan, constants, fixed: isConstant ? null : fixed }
  return {
    reader: tableReader(effective, content, targets),
    constants,
    splitter: () => splitter,
    errors: headerErrors(effective, content, columns),
    delimiter: dialect.delimiter,
    newline: raw.isReturned ? '\r\n' : dialect.newline,
    header: raw.text,
  }
}

interface Header {
  readonly content: readonly string[]
  readonly raw: { readonly text: string; readonly isReturned: boolean }
}

/** `hint` is the row before the header that tells spreadsheets the separator. */
async function headerRow(input: TextInput, splitter: Splitter, hint: string): Promise<Header> {
  const isReturned = /^[^\n]*\r\n/.test(input.head)
  for await (const { rows } of input.rows(splitter, 1)) {
    const [row] = rows
    if (!row || row.raw === hint) continue
    if (row.content instanceof Fault)
      throw new TransferFailure('data', `${input.name}:${row.line}: header: ${row.content.sentence}`)
    if (!('json' in row.content)) return { content: row.content, raw: { text: row.raw, isReturned } }
  }
  throw new TransferFailure('data', `${input.name} is empty: it needs a header row`)
}

/** Returns an error for every unknown, repeated and missing column. */
function headerErrors(
  plan: RowPlan,
  header: readonly string[],
  columns: readonly (Target | null | undefined)[],
): FieldErrors {
  const { resource, targets, constants } = plan
  const present = new Set(header.map(targets.nameOf))
  for (const column of targets.mapped)
    if (!present.has(column)) {
      const near = nearest(column, present)
      throw new TransferFailure(
        'usage',
        `${targets.guide.name('map')}: there is no column ${JSON.stringify(column)}${near === null ? '' : `; did you mean ${JSON.stringify(near)}?`}`,
      )
    }
  const errors: FieldError[] = []
  const seen = new Map<string, string>()
  columns.forEach((target, index) => {
    const name = header[index]?.trim() ?? ''
    if (target === undefined) errors.push(targets.unknown(name))
    if (!target) return
    const other = seen.get(target.field)
    if (other !== undefined) errors.push(repeated(name, other))
    else if (Object.hasOwn(constants, target.field)) errors.push(givenTwice(name, targets.guide))
    seen.set(target.field, name)
  })
  for (const [field, { required }] of Object.entries(resource.fields))
    if (required && !seen.has(field) && !Object.hasOwn(constants, field)) errors.push(missing(field, targets.guide))
  return errors
}

function missing(field: string, guide: Guide): FieldError {
  const error = broken(field, REQUIRED)
  return { ...error, sentence: `${error.sentence} There is no such column: ${guide.missingColumn(field)}.` }
}

/** True for an object that holds only the reason of a rejection. */
export const isReason = (value: unknown, reason: string): boolean =>
  isJsonObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, reason)
