import type { Calls, FeedPlace } from '../../core/ports/calls.ts'

/** What the ways of following share. */
export interface Course {
  readonly path: string
  readonly signal: AbortSignal
  readonly onTrouble: (error: unknown) => void
  /** Is a file of a folder removed once what it holds is stored? */
  readonly removes: boolean
  /** Tells once that there is nothing at the path, until there is. */
  setMissing(isMissing: boolean): void
  store(records: Parameters<Calls['store']>[1], place: FeedPlace | null): Promise<void>
  setLag(bytes: number): void
  /** Waits until it is time for the next look. */
  rest(): Promise<void>
}
