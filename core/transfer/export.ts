import { formatAmount } from '../amounts.ts'
import { escapedJson } from '../json.ts'
import type { Bulk } from '../ports/bulk.ts'
import type { Selection } from '../ports/records.ts'
import { codeCell } from '../rating/carrier-sheet.ts'
import type { Field } from '../resources/field.ts'
import { namedReferences } from '../resources/references/names.ts'
import type { Resource } from '../resources/resource.ts'
import { asWritten } from '../resources/values/written.ts'
import { BOM, csvCell, escapeFormula } from './csv-text.ts'
import type { Format } from './formats.ts'
import { inFiles } from './imported-resource.ts'

/** How records are written. */
export interface ExportForm {
  readonly format: Format
  /** Keeps spreadsheets from running text; the output does not import back unchanged. */
  readonly escapeFormulas: boolean
  /** True if CSV begins with a byte-order mark. */
  readonly bom: boolean
  readonly delimiter?: string | undefined
  readonly withSecrets: boolean
  /** Fields to omit. */
  readonly without?: readonly string[]
}

/** Part of the output, and the number of its records. */
export interface Stretch {
  readonly text: string
  readonly count: number
}

/** Returns the fields of a resource whose values are secret. */
export const secretsIn = ({ fields }: Resource): string[] =>
  Object.entries(fields).flatMap(([name, { secret }]) => (secret ? [name] : []))

/**
 * Yields all records of a selection, some hundred at a time, so that an import recreates them. That includes secrets,
 * even gateways' passwords, which the API never shows.
 */
export async function* exported(
  bulk: Pick<Bulk, 'dump'>,
  resource: Resource,
  selection: Selection,
  exportForm: ExportForm,
): AsyncGenerator<Stretch> {
  const columns = columnsOf(resource, exportForm)
  const form = formOf(columns, exportForm)
  const shown = (text: string): string => (exportForm.format === 'csv' ? text : escapedJson(text))
  const fieldNames = columns.map(({ fieldName }) => fieldName)
  let count = 0
  yield { text: shown(form.begin), count }
  for await (const page of bulk.dump(resource, fieldNames, selection)) {
    const text = page.map((row, i) => form.row(row, count + i === 0)).join('')
    count += page.length
    yield { text: shown(text), count: page.length }
  }
  yield { text: form.end(count), count: 0 }
}

type Stored = string | number | null

interface Column {
  /** In the file: `tenant` for `tenant_id`. */
  readonly name: string
  readonly fieldName: string
  readonly field: Field
  readonly isReference: boolean
}

function columnsOf(resource: Resource, { withSecrets, without = [] }: ExportForm): Column[] {
  const references = namedReferences(resource)
  return Object.entries(inFiles(resource).fields).flatMap(([name, field]): Column[] => {
    if ((field.secret && !withSecrets) || without.includes(name)) return []
    const reference = references.find(named => named.field === name)
    return [{ name: reference?.column ?? name, fieldName: name, field, isReference: reference !== undefined }]
  })
}

interface Form {
  readonly begin: string
  row(values: readonly Stored[], isFirst: boolean): string
  end(count: number): string
}

function formOf(columns: readonly Column[], { format, escapeFormulas, bom, delimiter = ',' }: ExportForm): Form {
  if (format === 'csv') {
    const cell = (field: Field | undefined, value: Stored): string => {
      const text = asText(field, value)
      return csvCell(escapeFormulas ? escapeFormula(text, field?.dialled !== undefined) : text, delimiter)
    }
    const line = (cells: readonly string[]): string => `${cells.join(delimiter)}\n`
    return {
      begin: (bom ? BOM : '') + line(columns.map(({ name }) => name)),
      row: values => line(values.map((value, i) => cell(columns[i]?.field, value))),
      end: () => '',
    }
  }
  const object = (values: readonly Stored[]): string =>
    `{${values.map((value, i) => `${JSON.stringify(columns[i]?.name)}:${asJson(columns[i], value)}`).join()}}`
  if (format === 'ndjson') return { begin: '', row: values => `${object(values)}\n`, end: () => '' }
  return {
    begin: '[',
    row: (values, isFirst) => `${isFirst ? '' : ','}\n${object(values)}`,
    end: count => (count === 0 ? ']\n' : '\n]\n'),
  }
}

function asText(field: Field | undefined, value: Stored): string {
  if (value === null) return ''
  if (field?.sheet === 'codes') return codeCell(String(value))
  if (field?.dialled) return asWritten(field, String(value))
  if (field?.kind === 'decimal') return formatAmount(Number(value))
  if (field?.kind === 'boolean') return value === 1 ? 'true' : 'false'
  return String(value)
}

function asJson(column: Column | undefined, value: Stored): string {
  if (value === null) return 'null'
  const kind = column?.isReference ? 'text' : column?.field.kind
  if (kind === 'json') return String(value)
  if (kind === 'boolean' || kind === 'integer') return asText(column?.field, value)
  return JSON.stringify(asText(column?.field, value))
}
