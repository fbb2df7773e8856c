import { exact, exactly } from '../resources/values/written.ts'

/** The first bytes of a UTF-8 file, so that spreadsheets recognise it. */
export const BOM = '\ufeff'

/** Returns a cell that reads back as the same text, quoted if necessary. */
export function csvCell(text: string, delimiter = ','): string {
  const isPlain = !/["\r\n]|^\s|\s$/.test(text) && !text.includes(delimiter)
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}

/** What makes a spreadsheet take a cell for a formula, by OWASP's list. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/**
 * Returns a cell that no spreadsheet runs. A dialled number, such as +12125550101, becomes `="+12125550101"`: a sheet
 * shows it with its plus, and an import reads it back. Any other text gets an apostrophe in front, which stays.
 */
export function escapeFormula(text: string, isDialled: boolean): string {
  if (!FORMULA.test(text)) return text
  if (!isDialled) return `'${text}`
  return exactly(text) === null ? exact(text) : text
}
