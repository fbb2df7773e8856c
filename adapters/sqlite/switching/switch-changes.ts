import type { Changed, SwitchChanges } from '../../../core/ports/switching.ts'
import { together } from '../../../core/switching/changes.ts'
import type { Connection } from '../database/database.ts'

/** If more records are new, all tenants are checked. */
const MOST_NEW = 10_000
const ALL_TENANTS = 0

/** Returns a function that gives the tenants of records added to a table since its last call. */
function added({ value }: Connection, table: string, condition = 'true'): () => Changed {
  const last = value<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?')
  // Of its own accord, SQLite would walk the whole index by tenant, to find each one once.
  const tenants = value<[number], number>(
    `SELECT DISTINCT tenant_id FROM ${table} NOT INDEXED WHERE id > ? AND ${condition}`,
  )
  const lastId = (): number => last.get(table) ?? 0
  let through = lastId()
  return () => {
    const [from, to] = [through, lastId()]
    through = to
    return to - from > MOST_NEW ? 'all' : new Set(to === from ? [] : tenants.all(from))
  }
}

/** Triggers note changes and deletions, in a row for each tenant; new records show by their id. */
export function switchChanges(connection: Connection): SwitchChanges {
  const { value } = connection
  const lastSeq = value<[], number>('SELECT max(seq) FROM switch_changes')
  const since = value<[number], number>('SELECT tenant_id FROM switch_changes WHERE seq > ?')
  let through = lastSeq.get() ?? 0
  const changed = (): Changed => {
    const [from, to] = [through, lastSeq.get() ?? 0]
    through = to
    const tenants = to === from ? [] : since.all(from)
    return tenants.includes(ALL_TENANTS) ? 'all' : new Set(tenants)
  }
  const records = [changed, added(connection, 'extensions'), added(connection, 'dids')]
  const calls = added(connection, 'cdrs', "direction = 'outbound'")
  const next = connection.db.transaction(() => ({
    records: records.map(look => look()).reduce(together),
    calls: calls(),
  }))
  return { next: async () => next() }
}
