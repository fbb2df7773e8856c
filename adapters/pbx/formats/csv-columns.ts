/** Splits a record into columns; `""` within quotes is a quote. Returns null if its quotes do not match. */
export function csvColumns(record: string): string[] | null {
  const columns: string[] = []
  let at = 0
  for (;;) {
    const isQuoted = record.charCodeAt(at) === 34
    const end = isQuoted ? closingQuote(record, at + 1) : nextComma(record, at)
    if (end === -1) return null
    const column = isQuoted ? record.slice(at + 1, end) : record.slice(at, end)
    if (isQuoted) columns.push(column.includes('"') ? column.replaceAll('""', '"') : column)
    else if (column.includes('"')) return null
    else columns.push(column)
    at = isQuoted ? end + 1 : end
    if (at === record.length) return columns
    if (record[at] !== ',') return null
    at++
  }
}

function closingQuote(record: string, from: number): number {
  for (let at = record.indexOf('"', from); at !== -1; at = record.indexOf('"', at + 2)) {
    if (record.charCodeAt(at + 1) !== 34) return at
  }
  return -1
}

function nextComma(record: string, from: number): number {
  const comma = record.indexOf(',', from)
  return comma === -1 ? record.length : comma
}
