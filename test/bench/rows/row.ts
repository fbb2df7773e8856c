import type { Line } from '../table.ts'

export interface Bench {
  /** The built daemon. */
  readonly program: string
  /** The built command line. */
  readonly commandLine: string
  /** Two copies of the same data, for the daemon and for the baseline. */
  readonly databases: { readonly ours: string; readonly baseline: string }
  readonly cdrs: number
  /** False where only the daemon is measured, not what it is compared with. */
  readonly isCompared: boolean
  readonly rounds: number
  /** How long a round of load lasts. */
  readonly seconds: number
  /** For files that may go afterwards. */
  readonly folder: string
}

export interface Row {
  readonly name: string
  run(bench: Bench): Promise<readonly Line[]>
}

export const CONNECTIONS = 50

/** Different ones, so that no cache holds them all. */
export const variants = <T>(make: (i: number) => T): T[] => Array.from({ length: 1000 }, (_, i) => make(i))
