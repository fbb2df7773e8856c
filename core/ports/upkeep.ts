import type { Timestamp } from '../dates.ts'

/** What is kept for a time that the settings say. */
export type Dated = 'audit' | 'cdrs'

/** Forgets what is old, in steps small enough that neither the event loop nor another writer notices. */
export interface Retention {
  /** Deletes those from before that moment; returns how many. */
  deleteBefore(what: Dated, moment: Timestamp, signal?: AbortSignal): Promise<number>
  /** Empties what gateways answered to messages from before that moment; returns how many. */
  clearResponsesBefore(moment: Timestamp, signal?: AbortSignal): Promise<number>
}

export interface Heartbeat {
  /** Writes durably; returns the moment that was written. Throws `storage_full`, `busy`, `read_only`. */
  beat(): Promise<Timestamp>
}

export interface SearchIndexing {
  /** Brings the search indexes up to the records, in small steps with pauses, until told to stop. */
  followWrites(signal: AbortSignal, onTrouble: (error: unknown) => void): Promise<void>
}

/** What an operator watches of a storage. */
export interface Gauges {
  /** The size of what is written and not in the database's file yet, in bytes. */
  logBytes(): Promise<number>
  /** How many receipts wait for their message, by gateway. */
  parkedReceipts(): Promise<readonly { readonly gateway: number; readonly count: number }[]>
}
