import { parseJson } from '../../json.ts'
import { type Cut, Fault, type SourceRow, type Splitter, type Stretch } from './cut.ts'

const NEWLINE = 10
const CLOSING_BRACE = 125

/** Splits lines, each a JSON value. */
export const ndjsonSplitter: Splitter = {
  boundary: NEWLINE,
  split: ({ text, start, line: firstLine, limit, isLast }) => {
    const rows: SourceRow[] = []
    const blank: number[] = []
    let at = start
    let line = firstLine
    while (at < text.length && rows.length < limit) {
      const found = text.indexOf('\n', at)
      if (found === -1 && !isLast) break
      const end = found === -1 ? text.length : found
      const raw = text.slice(at, end).replace(/\r$/, '')
      if (raw.trim() === '') blank.push(line)
      else rows.push({ line, raw, content: contentOf(raw) })
      at = Math.min(end + 1, text.length)
      line++
    }
    return { rows, blank, end: at, line }
  },
}

function contentOf(raw: string): SourceRow['content'] {
  try {
    return { json: parseJson(raw) }
  } catch {
    return new Fault('The row is not valid JSON.')
  }
}

/** Splits one JSON array into its elements. `isWithin`: the text begins between two of them. */
export function arraySplitter(isWithin = false): Splitter {
  let expects: 'array' | 'element' | 'separator' | 'nothing' = isWithin ? 'separator' : 'array'
  /** At the end of an earlier import, nothing needs to follow. */
  let isUntouched = isWithin
  const fault = (cut: Cut, text: string, sentence: string): Cut => {
    expects = 'nothing'
    cut.rows.push(faultOn(cut.line, sentence))
    return { ...cut, end: text.length }
  }
  const split = ({ text, start, line: firstLine, limit, isLast }: Stretch): Cut => {
    let cut: Cut = { rows: [], blank: [], end: start, line: firstLine }
    isUntouched = false
    for (;;) {
      const at = afterBlanks(text, cut.end)
      cut = { ...cut, end: at, line: cut.line + newlines(text, cut.end, at) }
      const next = text.charAt(at)
      if (next === '' || cut.rows.length >= limit) return cut
      if (expects === 'nothing') return fault(cut, text, 'There is text after the end of the array.')
      if (expects === 'array' && next !== '[') return fault(cut, text, NO_ARRAY)
      if (expects === 'separator' && next !== ',' && next !== ']')
        return fault(cut, text, 'Elements of the array must be separated by a comma.')
      if (next === ']') expects = 'nothing'
      else if (next === '[' && expects === 'array') expects = 'element'
      else if (expects === 'separator') expects = 'element'
      else {
        const end = endOfValue(text, at)
        if (end === -1) return isLast ? fault(cut, text, CUT_OFF) : cut
        const raw = text.slice(at, end)
        cut.rows.push({ line: cut.line, raw, content: contentOf(raw) })
        cut = { ...cut, end, line: cut.line + newlines(text, at, end) }
        expects = 'separator'
        continue
      }
      cut = { ...cut, end: at + 1 }
    }
  }
  const ending = (line: number): SourceRow | null =>
    expects === 'nothing' || isUntouched ? null : faultOn(line, expects === 'array' ? NO_ARRAY : CUT_OFF)
  return { boundary: CLOSING_BRACE, split, ending }
}

const NO_ARRAY = 'The file does not begin with a JSON array.'
const CUT_OFF = 'The array has no end: the file is cut off.'

const faultOn = (line: number, sentence: string): SourceRow => ({ line, raw: '', content: new Fault(sentence) })

function afterBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++
  return at
}

function newlines(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Returns where the JSON value that begins here ends; -1 while incomplete. Does not validate it. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') {
      at = endOfString(text, at)
      if (at === -1) return -1
    } else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (depth > 0 || !',\n'.includes(character)) continue
    if (depth < 0 || (depth === 0 && character === ',')) return at
    if (depth === 0 && '}]'.includes(character)) return at + 1
  }
  return -1
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === '"') return at
  }
  return -1
}
