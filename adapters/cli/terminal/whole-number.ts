import { CliError, EXIT } from '../exit.ts'

/** What a flag gives where only a number from 1 on makes sense. */
export function wholeNumber(flag: string, given: unknown): number {
  if (!/^[1-9]\d{0,8}$/.test(String(given))) throw new CliError(EXIT.usage, `${flag} must be a whole number above 0`)
  return Number(given)
}

/** 1234567 as `1,234,567`, without the 15 ms that the first `toLocaleString` of a program takes. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** `1 row`, `1,200 rows`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : several}`
