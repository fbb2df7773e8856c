import type { Line } from '../table.ts'

/** The baseline: a program without our code, the daemon on SQLite, or one daemon beside several. */
export type Beside = 'bare program' | 'sqlite' | 'one daemon'

export interface Bench {
  /** The built daemon. */
  readonly program: string
  /** The built command line. */
  readonly commandLine: string
  /** Two copies of the same data, for the daemon and for the baseline: files, or the address of our own. */
  readonly databases: { readonly ours: string; readonly baseline: string }
  readonly beside: Beside
  /** How many of ours serve the database together. */
  readonly daemons: number
  readonly cdrs: number
  /** False if only the daemon is measured, without its baseline. */
  readonly isCompared: boolean
  readonly rounds: number
  /** How long a round of load lasts. */
  readonly seconds: number
  /** For temporary files. */
  readonly folder: string
}

/** The least ratio to each baseline; several daemons are to be no slower than one. */
export type Goals = Readonly<Record<Exclude<Beside, 'one daemon'>, number>>

export interface Row {
  readonly name: string
  run(bench: Bench): Promise<readonly Line[]>
}

export const CONNECTIONS = 50

/** All different, so that no cache holds them all. */
export const variants = <T>(make: (i: number) => T): T[] => Array.from({ length: 1000 }, (_, i) => make(i))
