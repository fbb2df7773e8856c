import type { CallMarks, IdentifiedCall, KnownCall } from '../../../core/calls/identity.ts'
import type { Connection } from '../database/database.ts'

/** Between an id and a name. It sorts before whatever else ids are written with, so that one look finds every switch's. */
const BEFORE_NAME = '\t'
const AFTER_NAMES = '\n'

/** The text by which a call is stored: its switch's id for it, followed by the switch's name where that is known. */
export const keyOf = ({ switchCallId, switchName }: Pick<IdentifiedCall, 'switchCallId' | 'switchName'>): string =>
  switchName ? switchCallId + BEFORE_NAME + switchName : switchCallId

/** The parts of the key in that column, as SQL. */
export function partsOfKey(column: string): { readonly id: string; readonly switchName: string } {
  const end = `instr(${column} || char(${BEFORE_NAME.charCodeAt(0)}), char(${BEFORE_NAME.charCodeAt(0)}))`
  return { id: `substr(${column}, 1, ${end} - 1)`, switchName: `nullif(substr(${column}, ${end} + 1), '')` }
}

/** Finds the stored calls of a kind of switch that have an id. */
export function callFinder({ query }: Connection): (source: string, switchCallId: string) => KnownCall[] {
  const stored = query<[string, string, string], CallMarks & { readonly key: string }>(
    `SELECT r.switch_call_id AS key, c.tenant_id, c.started_at, c.destination_number
     FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id
     WHERE r.source = ? AND r.switch_call_id >= ? AND r.switch_call_id < ?`,
  )
  return (source, id) =>
    stored
      .all(source, id, id + AFTER_NAMES)
      .map(({ key, ...marks }) => ({ switchName: key.slice(id.length + BEFORE_NAME.length) || null, marks }))
}
