/** What a process holds once it rests, and for how long it held its event loop at most since it was last asked. */
export interface Held {
  readonly delayMs: number
  readonly heapMiB: number
  /** null where the system does not say. */
  readonly openFiles: number | null
}

/** What a kind of inputs is played against. */
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
  /** Rows that an input may leave, in all tables together. */
  readonly rowsPerInput: number
  readonly subject: Subject
  /** Plays so many inputs, made up from the seed; returns what was wrong. */
  play(seed: number, count: number): Promise<string[]>
}
