import { CliError, EXIT } from '../exit.ts'

/** Reads a flag as a whole number from 1 on. */
export function wholeNumber(flag: string, value: unknown): number {
  if (!/^[1-9]\d{0,8}$/.test(String(value))) throw new CliError(EXIT.usage, `${flag} must be a whole number above 0`)
  return Number(value)
}
