import type { CompletedCall, UnreadableRecord } from '../../core/calls/completed-call.ts'

/** Reads the text of one record, without its line end. Never throws: what it can't read it tells the reason of. */
export type Parser = (record: string) => CompletedCall | UnreadableRecord
