import type { OptionName } from './guide.ts'

/** What would help: another option, resuming an import, or the text in another encoding. */
export type Fix =
  | { readonly kind: 'option'; readonly option: OptionName; readonly value?: string }
  | { readonly kind: 'resume' }
  | { readonly kind: 'convert'; readonly from: string }

/**
 * Why an import or export cannot begin or must stop: the request makes no sense, the input is faulty, or somebody
 * stopped it.
 */
export class TransferFailure extends Error {
  readonly kind: 'usage' | 'data' | 'stopped'
  readonly fix: Fix | null

  constructor(kind: TransferFailure['kind'], message: string, fix: Fix | null = null) {
    super(message)
    this.name = 'TransferFailure'
    this.kind = kind
    this.fix = fix
  }
}

/** An import that ended before its input did, though some of its records are stored and stay; `cause` is why. */
export class EndedEarly extends Error {
  readonly stored: number

  constructor(stored: number, cause: unknown) {
    super('The import ended before its input did.', { cause })
    this.name = 'EndedEarly'
    this.stored = stored
  }
}

export const optionFix = (option: OptionName, value?: string): Fix => ({
  kind: 'option',
  option,
  ...(value === undefined ? {} : { value }),
})

/** The error of an import that a signal ended before anything was stored. */
export const stopped = (): TransferFailure => new TransferFailure('stopped', 'interrupted: nothing was stored')

/** Turns a message into a sentence; keeps the name of a file at its beginning. */
export function sentenceOf(text: string): string {
  const begun = /^\S*\./.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?!…]$/.test(begun) ? begun : `${begun}.`
}
