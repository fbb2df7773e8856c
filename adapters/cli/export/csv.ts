/** What a file of UTF-8 begins with where a spreadsheet is to know it. */
export const BOM = '\ufeff'

/** A cell that reads back as the same text: quoted where something in it would be read as something else. */
export function csvCell(text: string, delimiter = ','): string {
  const isPlain = !/["\r\n]|^\s|\s$/.test(text) && !text.includes(delimiter)
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}

/** What makes a spreadsheet take a cell for a formula. */
const FORMULA = /^[=+\-@\t\r]/

export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)
