import type { Guide, OptionName } from '../transfer/guide.ts'

const NAMES: Readonly<Partial<Record<OptionName, string>>> = {
  allowEmpty: '“Take an empty file for a deck without rates”',
  decimalComma: '“Decimal comma”',
  delimiter: '“Cells are separated by”',
  effective: '“Takes effect”',
  force: '“Store what no rule can read”',
  map: 'the columns',
  mode: '“Records that exist”',
  onError: '“Rows with errors”',
  set: '“The same for all”',
  tenant: '“Tenant”',
}

/** The words for people who import in the console: the labels of its page. */
export const PAGE: Guide = {
  name: (option, value) => [NAMES[option] ?? option, value].filter(word => word !== undefined).join(' '),
  strangeColumn: () => 'Choose the field that it is, or pass over it',
  missingColumn: field => `choose the column that it is, or give a value of ${field} for all`,
  restart: 'a new import',
}
