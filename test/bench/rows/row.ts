import type { Line } from '../table.ts'

/** The baseline: a program without our code, or the daemon on SQLite. */
export type Beside = 'bare program' | 'sqlite'

export interface Bench {
  /** The built daemon. */
  readonly program: string
  /** The built command line. */
  readonly commandLine: string
  /** Two copies of the same data, for the daemon and for the baseline: files, or the address of our own. */
  readonly databases: { readonly ours: string; readonly baseline: string }
  readonly beside: Beside
  readonly cdrs: number
  /** False if only the daemon is measured, without its baseline. */
  readonly isCompared: boolean
  readonly rounds: number
  /** How long a round of load lasts. */
  readonly seconds: number
  /** For temporary files. */
  readonly folder: string
}

/** The least ratio to each baseline. */
export type Goals = Readonly<Record<Beside, number>>

export interface Row {
  readonly name: string
  run(bench: Bench): Promise<readonly Line[]>
}

export const CONNECTIONS = 50

/** All different, so that no cache holds them all. */
export const variants = <T>(make: (i: number) => T): T[] => Array.from({ length: 1000 }, (_, i) => make(i))
