import { CliError, EXIT } from '../exit.ts'

/** What a flag gives where only a number from 1 on makes sense. */
export function wholeNumber(flag: string, given: unknown): number {
  if (!/^[1-9]\d{0,8}$/.test(String(given))) throw new CliError(EXIT.usage, `${flag} must be a whole number above 0`)
  return Number(given)
}
