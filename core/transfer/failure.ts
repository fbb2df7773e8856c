import type { OptionName } from './guide.ts'

/** What would help: another option, going on where an import stopped, or the text in another encoding. */
export type Fix =
  | { readonly kind: 'option'; readonly option: OptionName; readonly value?: string }
  | { readonly kind: 'resume' }
  | { readonly kind: 'convert'; readonly from: string }

/**
 * Why an import or export cannot be begun or must stop: what was asked for makes no sense, the input is at fault, or
 * somebody stopped it.
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

/** An import that ended before its input did, though records of it are stored and stay; `cause` is why. */
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

/** An import that a signal ended before anything was stored. */
export const stopped = (): TransferFailure => new TransferFailure('stopped', 'interrupted: nothing was stored')
