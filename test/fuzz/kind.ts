/** What a process holds when idle, and the longest time it held its event loop since the last question. */
export interface Held {
  readonly delayMs: number
  readonly heapMiB: number
  /** null if the system does not report it. */
  readonly openFiles: number | null
}

/** What a kind of input is played against. */
export interface Subject {
  readonly maxHeapMiB: number
  held(): Promise<Held>
  /** Of all tables together. */
  rows(): number
}

/** A kind of inputs. */
export interface Kind {
  readonly name: string
  /** Inputs of a round. */
  readonly count: number
  /** Rows that one input may leave, in all tables together. */
  readonly rowsPerInput: number
  readonly subject: Subject
  /** Plays this many inputs, generated from the seed; returns what was wrong. */
  play(seed: number, count: number): Promise<string[]>
}
