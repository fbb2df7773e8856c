import { exact, exactly } from '../resources/values/written.ts'

/** What a file of UTF-8 begins with where a spreadsheet is to know it. */
export const BOM = '\ufeff'

/** A cell that reads back as the same text: quoted where something in it would be read as something else. */
export function csvCell(text: string, delimiter = ','): string {
  const isPlain = !/["\r\n]|^\s|\s$/.test(text) && !text.includes(delimiter)
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}

/** What makes a spreadsheet take a cell for a formula, as OWASP lists it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/**
 * A cell that no spreadsheet runs. A number that is dialled, such as +12125550101, becomes `="+12125550101"`: a sheet
 * shows it with its plus, and an import reads it back. Any other text gets an apostrophe in front, and keeps it.
 */
export function escapeFormula(text: string, isDialled: boolean): string {
  if (!FORMULA.test(text)) return text
  if (!isDialled) return `'${text}`
  return exactly(text) === null ? exact(text) : text
}
