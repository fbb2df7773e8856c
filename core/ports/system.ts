import type { Timestamp } from '../dates.ts'
import type { Resource } from '../resources/resource.ts'

export interface Clock {
  /** Now, to the microsecond; never the same twice, and never earlier than before unless the system's clock is set back. */
  now(): Timestamp
  /** Seconds since some moment, which go on as ever when the system's clock is set. */
  monotonic(): number
}

export interface Ids {
  uuid(): string
  /** A random password, of 120 bits. */
  password(): string
}

export interface Statistics {
  readonly path: string
  readonly bytes: number
  readonly logBytes: number
  readonly schema: number
  /** By resource name. */
  readonly counts: Readonly<Record<string, number>>
  /**
   * When a record of that resource was last made, changed or deleted, as its newest record and the audit trail tell:
   * neither receipts for older messages nor what goes with a deleted record count. null when they tell nothing.
   */
  readonly lastWrites: Readonly<Record<string, Timestamp | null>>
}

/** Something that an integrity check finds. */
export interface Damage {
  /** What is wrong, as a sentence without its full stop. */
  readonly finding: string
  /** A record that refers to one of `parent` that is not there. */
  readonly dangling: { readonly table: string; readonly id: number; readonly parent: string } | null
}

/** The upkeep of the database as a whole. */
export interface Maintenance {
  statistics(): Promise<Statistics>
  /** A verified copy at that path, made in one step while others write. Throws `conflict` when something is there. */
  backup(to: string): Promise<{ readonly bytes: number }>
  /** What the integrity checks find; empty when all is well. */
  check(): Promise<Damage[]>
  /** The ids of the records that do not agree with what they point to; see `Within`. */
  strays(resource: Resource): Promise<number[]>
  /** The ids of the records that have their natural key in common, newest first, a group for each key. */
  shared(resource: Resource): Promise<number[][]>
  /** The different texts that records hold in a field. */
  held(resource: Resource, field: string): Promise<string[]>
  /** When a daemon that was asked whether it can write last wrote in this database; null when none was. */
  lastBeat(): Promise<Timestamp | null>
  /** Does a daemon serve this database, wherever it listens? */
  isServed(): Promise<boolean>
}
