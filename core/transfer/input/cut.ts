/** Why a row cannot be read, as a sentence. */
export class Fault {
  readonly sentence: string
  constructor(sentence: string) {
    this.sentence = sentence
  }
}

/** One row of an input, before its values are read. */
export interface SourceRow {
  /** The line it starts on. */
  readonly line: number
  /** The row as it came, without its line end. */
  readonly raw: string
  readonly content: readonly string[] | { readonly json: unknown } | Fault
}

/** What a format makes of a stretch of text: the rows that are whole in it. */
export interface Cut {
  readonly rows: SourceRow[]
  /** The lines of rows without any value. */
  readonly blank: number[]
  /** How far the text was taken, and the line that begins there. */
  readonly end: number
  readonly line: number
}

export interface Splitter {
  /** The byte after which a row may end. */
  readonly boundary: number
  /**
   * Takes at most `limit` rows off the text from `start`, which is on `line`. `isLast`: no more text will follow, so
   * what is left is whole or at fault.
   */
  split(text: string, start: number, line: number, limit: number, isLast: boolean): Cut
  /** What is at fault with a text that ends on that line, all of it having been split; null for nothing. */
  ending?(line: number): SourceRow | null
}
