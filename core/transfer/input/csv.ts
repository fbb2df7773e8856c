import { type Cut, Fault, type SourceRow, type Splitter, type Stretch } from './cut.ts'

export interface Dialect {
  readonly delimiter: string
  /** What ends a line, including a carriage return before a line feed. */
  readonly newline: '\n' | '\r'
}

const DELIMITERS = [',', ';', '\t', '|']

/** Detects the dialect; the separator is the one that gives the most cells in the first row. */
export function detectDialect(head: string, delimiter?: string): Dialect {
  const newline = !head.includes('\n') && head.includes('\r') ? '\r' : '\n'
  if (delimiter !== undefined) return { delimiter, newline }
  const widths = DELIMITERS.map(candidate => {
    const { split } = csvSplitter({ delimiter: candidate, newline })
    const [row] = split({ text: head, start: 0, line: 1, limit: 1, isLast: true }).rows
    return row && Array.isArray(row.content) ? row.content.length : 0
  })
  return { delimiter: DELIMITERS[widths.indexOf(Math.max(...widths))] ?? ',', newline }
}

/**
 * Splits comma-separated text (RFC 4180) into rows. A quote counts only at the start of a cell, as in spreadsheets.
 * Most rows have no quote, and for those a plain split is several times as fast as parsing each character.
 */
export function csvSplitter({ delimiter, newline }: Dialect): Splitter {
  const split = ({ text, start, line: firstLine, limit, isLast }: Stretch): Cut => {
    const rows: SourceRow[] = []
    const blank: number[] = []
    let at = start
    let line = firstLine
    let quote = -1
    while (at < text.length && rows.length < limit) {
      const found = text.indexOf(newline, at)
      if (found === -1 && !isLast) break
      const end = found === -1 ? text.length : found
      if (quote < at) quote = nextQuote(text, at)
      let next = end + 1
      let row: SourceRow
      if (quote >= end) {
        const raw = text.slice(at, end > at && text.charCodeAt(end - 1) === RETURN ? end - 1 : end)
        row = { line, raw, content: raw.split(delimiter) }
        line++
      } else {
        const quoted = quotedRow(text, at, { delimiter, newline }, isLast)
        if (!quoted) break
        next = quoted.end + 1
        const raw = text.slice(at, quoted.end).replace(/\r$/, '')
        row = { line, raw, content: quoted.content }
        line += linesIn(text, at, quoted.end, newline)
      }
      if (isBlank(row, delimiter)) blank.push(row.line)
      else rows.push(row)
      at = Math.min(next, text.length)
    }
    return { rows, blank, end: at, line }
  }
  return { boundary: newline.charCodeAt(0), split }
}

const RETURN = 13
const QUOTE = 34

function nextQuote(text: string, from: number): number {
  const found = text.indexOf('"', from)
  return found === -1 ? Number.POSITIVE_INFINITY : found
}

function isBlank({ raw, content }: SourceRow, delimiter: string): boolean {
  if (raw.charCodeAt(0) > QUOTE && !raw.startsWith(delimiter)) return false
  return Array.isArray(content) && content.every(cell => cell.trim() === '')
}

function linesIn(text: string, start: number, end: number, newline: string): number {
  let count = 1
  for (let at = text.indexOf(newline, start); at !== -1 && at < end; at = text.indexOf(newline, at + 1)) count++
  return count
}

interface Quoted {
  readonly content: readonly string[] | Fault
  /** Where its line end is, or the end of the text. */
  readonly end: number
}

/** Returns a row with quotes; null if its end has not come yet. */
function quotedRow(text: string, start: number, dialect: Dialect, isLast: boolean): Quoted | null {
  const { delimiter, newline } = dialect
  const cells: string[] = []
  let at = start
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) {
      const line = endOr(text, newline, at)
      const cell = endOr(text, delimiter, at)
      cells.push(text.slice(at, Math.min(cell, line)))
      if (line < cell || cell === text.length) return ended(cells, line)
      at = cell + 1
      continue
    }
    const close = closingQuote(text, at + 1)
    if (close === -1) return isLast ? { content: UNCLOSED, end: text.length } : null
    const cell = text.slice(at + 1, close)
    cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell)
    at = close + 1
    if (text.startsWith(delimiter, at)) {
      at++
      continue
    }
    const isReturn = newline === '\n' && text.charCodeAt(at) === RETURN
    const end = isReturn ? at + 1 : at
    if (end >= text.length || text.startsWith(newline, end)) return { content: cells, end: Math.min(end, text.length) }
    return { content: MISPLACED, end: endOr(text, newline, at) }
  }
}

const UNCLOSED = new Fault('A quote that opens in this row is never closed.')
const MISPLACED = new Fault('The row has text after a closing quote; a quote within quotes is written twice.')

const endOr = (text: string, wanted: string, from: number): number => {
  const found = text.indexOf(wanted, from)
  return found === -1 ? text.length : found
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2))
    if (text.charCodeAt(at + 1) !== QUOTE) return at
  return -1
}

/** Returns a row as read, without its first cell and the delimiter after that. */
export function withoutFirstCell(raw: string, delimiter: string): string {
  const close = raw.charCodeAt(0) === QUOTE ? closingQuote(raw, 1) : 0
  const end = close === -1 ? -1 : raw.indexOf(delimiter, close)
  return end === -1 ? raw : raw.slice(end + delimiter.length)
}

/** Removes the carriage return of the line end from a row's last cell. */
function ended(cells: string[], end: number): Quoted {
  const last = cells.pop() ?? ''
  cells.push(last.endsWith('\r') ? last.slice(0, -1) : last)
  return { content: cells, end }
}
