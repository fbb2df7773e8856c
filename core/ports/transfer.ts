import type { Cut, Splitter } from '../transfer/input/cut.ts'

/** Text that is read once, from its beginning to its end. */
export interface TextInput {
  /** What messages call it. */
  readonly name: string
  /** The beginning of the text, without a byte-order mark: at least a header. */
  readonly head: string
  /** Did it begin with a byte-order mark? */
  readonly hasMark: boolean
  /** Bytes before the rows that come next. */
  readonly offset: number
  /** The line on which they begin. */
  readonly line: number
  /** A digest of all bytes before `offset`. */
  digest(): string
  /** A digest of at most so many bytes of the beginning, and of how many there are. */
  headDigest(bytes: number): HeadDigest
  /** Goes on to a place further on; false when the input is too short for it. */
  skipTo(offset: number, line: number): Promise<boolean>
  /**
   * The rows in stretches of at most `limit`, others having their turn between two; `offset` and `line` are those after
   * the stretch. Throws TransferFailure on what is no text in UTF-8, and on a row without end.
   */
  rows(splitter: Splitter, limit: number): AsyncIterable<Cut>
  /** Ends it where it is, even while more is waited for. */
  stop(): void
}

export interface HeadDigest {
  readonly length: number
  readonly digest: string
}

/** Where the text of rejected rows goes. */
export interface RejectSink {
  /** How long it is: what a resumed import goes on from. */
  readonly bytes: number
  write(text: string): void
  close(): void
}
