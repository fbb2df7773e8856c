import type { Cut, Splitter } from '../transfer/input/cut.ts'

/** Text that is read once, from beginning to end. */
export interface TextInput {
  /** Its name in messages. */
  readonly name: string
  /** The beginning of the text, without a byte-order mark; includes the header. */
  readonly head: string
  /** True if it began with a byte-order mark. */
  readonly hasMark: boolean
  /** Bytes before the next rows. */
  readonly offset: number
  /** The line of the next rows. */
  readonly line: number
  /** Returns a digest of all bytes before `offset`. */
  digest(): string
  /** Returns a digest of at most that many bytes of the beginning, with their number. */
  headDigest(bytes: number): HeadDigest
  /** Skips forward to a place; returns false if the input is too short. */
  skipTo(offset: number, line: number): Promise<boolean>
  /**
   * Yields the rows in stretches of at most `limit`, giving others a turn in between; `offset` and `line` are those
   * after the stretch. Throws TransferFailure if the text is not UTF-8, and on a row without end.
   */
  rows(splitter: Splitter, limit: number): AsyncIterable<Cut>
  /** Stops reading, even while waiting for more. */
  stop(): void
}

export interface HeadDigest {
  readonly length: number
  readonly digest: string
}

/** Receives the text of rejected rows. */
export interface RejectSink {
  /** Its length, from which a resumed import continues. */
  readonly bytes: number
  write(text: string): void
  /** Resolves once everything written so far is kept. */
  kept(): Promise<void>
  close(): Promise<void>
}
