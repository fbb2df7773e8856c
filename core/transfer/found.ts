import type { FieldError } from '../errors.ts'
import type { Warning } from './rows/evaluate.ts'

/** Where a row is in the input. */
export interface At {
  /** Its first line. */
  readonly line: number
  /** The number of the element in a JSON array, from 1: a whole array may be on one line. */
  readonly element?: number
}

export interface ImportWarning extends At {
  /** The column, member or field; `row` for the whole row. */
  readonly field: string
  readonly message: string
}

export interface ImportError extends ImportWarning, Pick<FieldError, 'rule' | 'detail'> {}

const toWarning = (at: At, { field, sentence }: Warning): ImportWarning => ({ ...at, field, message: sentence })

const toError = (at: At, error: FieldError): ImportError => ({
  ...toWarning(at, error),
  rule: error.rule,
  ...(error.detail ? { detail: error.detail } : {}),
})

/** A list of findings: the first are kept, the rest is counted. */
export interface Kept<T, Shown> {
  readonly kept: readonly Shown[]
  readonly more: number
  add(at: At, found: readonly T[]): void
}

/** Calls `tell` with each, and whether it is kept. */
function firstOf<T, Shown>(
  max: number,
  form: (at: At, found: T) => Shown,
  tell: (found: Shown, isKept: boolean) => void,
): Kept<T, Shown> {
  const kept: Shown[] = []
  let more = 0
  return {
    kept,
    get more() {
      return more
    },
    add: (at, found) => {
      for (const each of found) {
        const formed = form(at, each)
        const isKept = kept.length < max
        if (isKept) kept.push(formed)
        else more++
        tell(formed, isKept)
      }
    },
  }
}

export const keptErrors = (
  max: number,
  tell: (error: ImportError, isKept: boolean) => void,
): Kept<FieldError, ImportError> => firstOf(max, toError, tell)

export const keptWarnings = (
  max: number,
  tell: (warning: ImportWarning, isKept: boolean) => void,
): Kept<Warning, ImportWarning> => firstOf(max, toWarning, tell)
