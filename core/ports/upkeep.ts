import type { Timestamp } from '../dates.ts'
import type { ServerFigures } from './system.ts'

/** Records with a configured retention time. */
export type Dated = 'audit' | 'cdrs'

/** Deletes old data, in steps small enough that neither the event loop nor another writer notices. */
export interface Retention {
  /** Deletes records from before that moment; returns how many. */
  deleteBefore(what: Dated, moment: Timestamp, signal?: AbortSignal): Promise<number>
  /** Clears gateways' responses to messages from before that moment; returns how many. */
  clearResponsesBefore(moment: Timestamp, signal?: AbortSignal): Promise<number>
  /** Prepares for the calls of the coming months, if the storage keeps calls by month. */
  prepareMonths(now: Timestamp): Promise<void>
}

export interface Heartbeat {
  /** Writes durably and returns the moment written. Throws `storage_full`, `busy`, `read_only`. */
  beat(): Promise<Timestamp>
}

export interface SearchIndexing {
  /** Keeps the search indexes up to date with the records, in small steps with pauses, until the signal aborts. */
  followWrites(signal: AbortSignal, onTrouble: (error: unknown) => void): Promise<void>
}

/** Figures of the storage that an operator watches. */
export interface Gauges {
  /** The size of what is written and not in the database's file yet, in bytes. */
  logBytes(): Promise<number>
  /** Returns null for a file. */
  server(): Promise<ServerFigures | null>
  /** How many receipts wait for their message, by gateway. */
  parkedReceipts(): Promise<readonly { readonly gateway: number; readonly count: number }[]>
}

/** Work that only one of the programs that serve a database does at a time, such as following a feed. */
export interface Duties {
  /**
   * Does the work while this program has the duty. Waits while another program has it, takes it over within seconds of
   * that one's end, and begins the work again after it has returned or the duty was lost. The signal of the work aborts
   * when the duty is lost, or with `signal`. Resolves once `signal` has aborted and the work has ended; rejects if the
   * work does.
   */
  hold(duty: string, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
  /** Does the work once if no program has the duty, and returns whether it did. The signal aborts when it is lost. */
  attempt(duty: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean>
}

/** What a program knows of the service besides its database. */
export interface Surroundings {
  /** Returns the feeds that it follows, with the bytes of each that are not stored yet. */
  feeds(): readonly { readonly name: string; readonly lag: number }[]
  /** Returns the number of registered telephones; null without a switch, or if none can be reached. */
  phones(): Promise<number | null>
  /** Returns when the newest backup was begun; null if there is none. */
  newestBackup(): Timestamp | null
}

export const ALONE: Surroundings = { feeds: () => [], phones: async () => null, newestBackup: () => null }
