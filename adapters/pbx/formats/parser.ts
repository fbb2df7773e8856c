import type { CompletedCall, UnreadableRecord } from '../../../core/calls/completed-call.ts'

/** Reads the text of one record, without its line end. Never throws: returns why it cannot read a text. */
export type Parser = (record: string) => CompletedCall | UnreadableRecord
