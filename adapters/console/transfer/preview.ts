import { isJsonObject, stringifyJson } from '../../../core/json.ts'
import type { Format } from '../../../core/transfer/formats.ts'
import { csvSplitter, detectDialect } from '../../../core/transfer/input/csv.ts'
import { Fault, type SourceRow } from '../../../core/transfer/input/cut.ts'
import { arraySplitter, ndjsonSplitter } from '../../../core/transfer/input/json.ts'

/** The columns and the first rows of a file, read as the service reads them. */
export interface Preview {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly delimiter: string
}

const HEAD = 256 * 1024
const ROWS = 5

/** Returns the beginning of a file. Throws if it is not UTF-8. */
export async function headOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, HEAD).arrayBuffer())
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isWide) throw new Error('The file is UTF-16, not UTF-8: save it as “CSV UTF-8”.')
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw new Error('The file is a workbook, not text: save it as CSV.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    throw new Error('The file is not UTF-8: save it as “CSV UTF-8”.')
  }
}

export function previewOf(text: string, format: Format, delimiter: string | undefined): Preview {
  return format === 'csv' ? tableIn(text, delimiter) : objectsIn(text, format)
}

function tableIn(text: string, given: string | undefined): Preview {
  const dialect = detectDialect(text, given === 'tab' ? '\t' : given)
  const { rows } = csvSplitter(dialect).split({ text, start: 0, line: 1, limit: ROWS + 2, isLast: true })
  const cells = rows.flatMap(({ raw, content }): (readonly string[])[] =>
    raw === `sep=${dialect.delimiter}` || content instanceof Fault || 'json' in content ? [] : [content],
  )
  const [columns = [], ...others] = cells
  return { columns: columns.map(name => name.trim()), rows: others.slice(0, ROWS), delimiter: dialect.delimiter }
}

function objectsIn(text: string, format: Format): Preview {
  const splitter = format === 'json' ? arraySplitter() : ndjsonSplitter
  const { rows } = splitter.split({ text, start: 0, line: 1, limit: ROWS, isLast: false })
  const objects = rows.map(objectIn)
  const columns = [...new Set(objects.flatMap(Object.keys))]
  return { columns, rows: objects.map(each => columns.map(name => cellOf(each[name]))), delimiter: ',' }
}

const objectIn = ({ content }: SourceRow): Readonly<Record<string, unknown>> =>
  'json' in content && isJsonObject(content.json) ? content.json : {}

const cellOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : stringifyJson(value)
