import type { Timestamp } from '../dates.ts'
import type { Resource } from '../resources/resource.ts'

export interface Clock {
  /**
   * Returns the present moment, to the microsecond: never the same twice, and never earlier than before unless the
   * system's clock is set back.
   */
  now(): Timestamp
  /** Returns seconds since some fixed moment, unaffected when the system's clock is set. */
  monotonic(): number
}

export interface Ids {
  uuid(): string
  /** Returns a random password of 120 bits. */
  password(): string
}

/** How a database server fares. */
export interface ServerFigures {
  /** Connections of all its users, and how many there may be. */
  readonly connections: number
  readonly maxConnections: number
  /** How long a statement on this database has waited for a lock, at most; 0 if none waits. */
  readonly lockWaitSeconds: number
  /** How many replicas are connected. */
  readonly replicas: number
  /** Replication slots without a connected replica: the server keeps for each what it has missed. */
  readonly idleSlots: readonly string[]
  /** What the replica furthest behind, connected or not, has not applied; null if there is none, or its lag is hidden. */
  readonly replicaLagBytes: number | null
  readonly searchIndexBytes: number
  /** The tables with the most rows that were changed or deleted and still take space. */
  readonly deadRows: readonly DeadRows[]
  readonly largeIndexes: readonly IndexSize[]
}

export interface DeadRows {
  readonly table: string
  readonly dead: number
  readonly live: number
}

export interface IndexSize {
  readonly index: string
  readonly bytes: number
  /** About what it would take if it were built again. */
  readonly freshBytes: number
}

/** What large indexes take beyond what they would take if they were built again. */
export const indexBloat = ({ largeIndexes }: Pick<ServerFigures, 'largeIndexes'>): number =>
  largeIndexes.reduce((sum, { bytes, freshBytes }) => sum + Math.max(0, bytes - freshBytes), 0)

export interface Statistics {
  readonly path: string
  readonly bytes: number
  readonly logBytes: number
  readonly schema: number
  /** null for a file. */
  readonly server: ServerFigures | null
  /** By resource name. */
  readonly counts: Readonly<Record<string, number>>
  /**
   * When a record of that resource was last created, changed or deleted, by its newest record and the audit trail;
   * null if these do not say. Ignores receipts for older messages, and records deleted by a cascade.
   */
  readonly lastWrites: Readonly<Record<string, Timestamp | null>>
}

/** A finding of an integrity check. */
export interface Damage {
  /** What is wrong, as a sentence without its full stop. */
  readonly finding: string
  /** The record that refers to a missing one of `parent`. */
  readonly dangling: { readonly table: string; readonly id: number; readonly parent: string } | null
  /** An index that has to be built again. */
  readonly index?: string
}

/** Whether calls that are kept by month are where they belong. A month is as in 2026-11. */
export interface CallMonths {
  /** The months whose calls are kept together, since nothing was prepared for them. */
  readonly unprepared: readonly { readonly month: string; readonly count: number }[]
  /** The present and coming months that nothing was prepared for. */
  readonly missing: readonly string[]
}

/** Upkeep of the whole database. */
export interface Maintenance {
  statistics(): Promise<Statistics>
  /** Writes a verified copy to that path, in one step while others write. Throws `conflict` if something is there. */
  backup(to: string): Promise<{ readonly bytes: number }>
  /** Runs the integrity checks; empty if all is well. */
  check(): Promise<Damage[]>
  /** Returns the ids of records that disagree with what they point to; see `Within`. */
  strays(resource: Resource): Promise<number[]>
  /** Returns the ids of records that share a natural key, newest first, one group for each key. */
  shared(resource: Resource): Promise<number[][]>
  /** Returns the distinct texts that records hold in a field. */
  held(resource: Resource, field: string): Promise<string[]>
  /** Returns null if the storage does not keep calls by month. */
  callMonths(now: Timestamp): Promise<CallMonths | null>
  /** Returns when a daemon last wrote its heartbeat to this database; null if none has. */
  lastBeat(): Promise<Timestamp | null>
  /** Returns whether a daemon serves this database, whatever its address. */
  isServed(): Promise<boolean>
}
