import type { Calls, FeedPlace } from '../../core/ports/calls.ts'

/** What following a file and following a folder share. */
export interface FollowTools {
  readonly path: string
  readonly signal: AbortSignal
  readonly onTrouble: (error: unknown) => void
  /** True if files of a folder are removed once their records are stored. */
  readonly removes: boolean
  /** Reports once that nothing is at the path, until something is. */
  setMissing(isMissing: boolean): void
  store(records: Parameters<Calls['store']>[1], place: FeedPlace | null): Promise<void>
  setLag(bytes: number): void
  /** Waits until the next check. */
  rest(): Promise<void>
}
