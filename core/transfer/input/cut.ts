/** Why a row cannot be read, as a sentence. */
export class Fault {
  readonly sentence: string
  constructor(sentence: string) {
    this.sentence = sentence
  }
}

/** A row of an input, before its values are read. */
export interface SourceRow {
  /** The line it starts on. */
  readonly line: number
  /** The row as read, without its line end. */
  readonly raw: string
  readonly content: readonly string[] | { readonly json: unknown } | Fault
}

/** The complete rows that a format finds in a stretch of text. */
export interface Cut {
  readonly rows: SourceRow[]
  /** The lines of rows without any value. */
  readonly blank: number[]
  /** How far the text was consumed, and the line that begins there. */
  readonly end: number
  readonly line: number
}

/** A stretch of text to split. */
export interface Stretch {
  readonly text: string
  /** Where in the text it begins. */
  readonly start: number
  /** The line that begins there. */
  readonly line: number
  /** The most rows to split off. */
  readonly limit: number
  /** No more text follows, so the rest is complete or faulty. */
  readonly isLast: boolean
}

export interface Splitter {
  /** The byte after which a row may end. */
  readonly boundary: number
  split(stretch: Stretch): Cut
  /** Returns what is wrong with a completely split text that ends on that line; null if nothing is. */
  ending?(line: number): SourceRow | null
}
