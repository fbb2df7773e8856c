import { resources } from '../../../../core/resources/all.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { tableOf } from '../../../sql/table.ts'
import type { Connection } from '../../database/database.ts'
import { upTo } from '../../database/key-set.ts'

/**
 * A trigram index for each searched resource that follows the writes. It holds every record up to `through_id` as it
 * was when indexed; later records are scanned, and triggers note changed ones in `search_changes`. Each candidate is
 * checked against the record itself, so outdated entries do no harm.
 */

/** Records that need no index: scanning them takes less than a millisecond. */
const SMALL_TAIL = 500
/** Scanning more than this costs more than it saves before the ordered scan. */
const LARGE_TAIL = 20_000
/** If the index finds more than this, a scan in order is as fast. */
const MAX_CANDIDATES = 20_000
/** Records indexed in one step, and characters of their texts: some milliseconds, ten if no trigram repeats. */
const STEP = 200
const STEP_LENGTH = 32 * 1024
/** Characters of a text that are indexed. Longer texts are few, and every search examines them. */
const INDEXED = 4_000
const MAX_TRIGRAMS = 24

const searched: readonly Resource[] = resources.filter(resource => resource.search.length > 0)

/** The SQL of the searched text of the record `t`: the fields, with a SEPARATOR between them. */
export const searchedText = ({ search }: Pick<Resource, 'search'>): string =>
  search.map(field => `coalesce(t.${field}, '')`).join(` || char(31) || `)

/** The SQL of that text's length in bytes, which SQLite knows without reading what lies outside the record's page. */
export const lengthSql = ({ search }: Resource): string =>
  search.map(field => `coalesce(octet_length(t.${field}), 0)`).join(' + ')

/** True if that text has no length limit. */
export const isLong = ({ search, fields }: Resource): boolean => search.some(field => fields[field]?.unbounded)

/** The SQL of the indexed part of the text; a longer text ends in a mark. */
function indexedText({ search, fields }: Resource): string {
  const parts = search.map(field =>
    fields[field]?.unbounded
      ? `iif(octet_length(t.${field}) > ${INDEXED}, substr(t.${field}, 1, ${INDEXED}) || '${MARK}', coalesce(t.${field}, ''))`
      : `coalesce(t.${field}, '')`,
  )
  return `fold(${parts.join(` || char(31) || `)})`
}

/** Creates the index of each resource that has none for its present searched fields. */
export function ensureSearchIndexes({ db, value }: Connection): void {
  const fieldsOf = value<[string], string>('SELECT fields FROM search_indexes WHERE resource = ?')
  const stale = searched.filter(({ name, search }) => fieldsOf.get(name) !== search.join())
  if (stale.length === 0) return
  db.transaction(() => {
    for (const { name, search } of stale) {
      const table = tableOf(name)
      const noted = (id: string) => `INSERT OR IGNORE INTO search_changes VALUES ('${name}', ${id});`
      const differs = search.map(field => `old.${field} IS NOT new.${field}`).join(' OR ')
      db.exec(`
        DROP TABLE IF EXISTS ${table}_search;
        DROP TRIGGER IF EXISTS ${table}_search_update;
        DROP TRIGGER IF EXISTS ${table}_search_delete;
        CREATE VIRTUAL TABLE ${table}_search USING fts5(
          text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1');
        CREATE TRIGGER ${table}_search_update AFTER UPDATE OF ${search.join()} ON ${table} WHEN ${differs}
        BEGIN ${noted('old.id')} END;
        CREATE TRIGGER ${table}_search_delete AFTER DELETE ON ${table} BEGIN ${noted('old.id')} END;
        DELETE FROM search_changes WHERE resource = '${name}';
        INSERT OR REPLACE INTO search_indexes VALUES ('${name}', '${search.join()}', 0);`)
    }
  }).immediate()
}

/** Separates the searched fields, so that none runs into another; no needle contains it. */
export const SEPARATOR = '\x1f'
const MARK = SEPARATOR.repeat(3)

/** Returns the ids that may contain the folded needle; null if scanning the records in order is better. */
export function candidates({ db, value }: Connection, resource: Resource, needle: string): number[] | null {
  const { name } = resource
  const trigrams = trigramsOf(needle)
  if (trigrams.length === 0 || needle.includes('\0')) return null
  return db.transaction(() => {
    const through = value<[string], number>('SELECT through_id FROM search_indexes WHERE resource = ?').get(name) ?? 0
    const tail = value<[number, number], number>(`SELECT id FROM ${tableOf(name)} WHERE id > ? LIMIT ?`).all(
      through,
      LARGE_TAIL + 1,
    )
    if (tail.length > LARGE_TAIL) return null
    const changed = value<[string, number], number>('SELECT id FROM search_changes WHERE resource = ? LIMIT ?').all(
      name,
      LARGE_TAIL + 1,
    )
    if (changed.length > LARGE_TAIL) return null
    const together = trigrams.map(trigram => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
    const indexed = value<[string, number], number>(
      `SELECT rowid FROM ${tableOf(name)}_search WHERE ${tableOf(name)}_search MATCH ? LIMIT ?`,
    ).all(isLong(resource) ? `(${together}) OR "${MARK}"` : together, MAX_CANDIDATES + 1)
    return indexed.length > MAX_CANDIDATES ? null : [...new Set([...indexed, ...tail, ...changed])]
  })()
}

/** Returns the needle's first trigrams: enough to narrow the search, and all of a short needle. */
function trigramsOf(needle: string): string[] {
  const characters = [...needle]
  const all = new Set(characters.slice(2).map((last, i) => `${characters[i]}${characters[i + 1]}${last}`))
  return [...all].slice(0, MAX_TRIGRAMS)
}

/** Returns whether `advanceSearchIndexes` has enough to do. */
export const areIndexesBehind = (connection: Connection): boolean =>
  searched.some(resource => behind(connection, resource) !== null)

/** Advances the indexes by one step; returns false if too few changes wait to be worth a step. Runs in a transaction. */
export const advanceSearchIndexes = (connection: Connection): boolean =>
  searched.some(resource => {
    const found = behind(connection, resource)
    if (found) advance(connection, resource, found.through)
    return found !== null
  })

/** Returns how far an index has come, if it has enough to catch up with. */
function behind({ value }: Connection, { name }: Resource): { readonly through: number } | null {
  const through = value<[string], number>('SELECT through_id FROM search_indexes WHERE resource = ?').get(name) ?? 0
  const newest = value<[], number | null>(`SELECT max(id) FROM ${tableOf(name)}`).get() ?? 0
  const isChanged = value<[string], number>(
    `SELECT 1 FROM search_changes WHERE resource = ? LIMIT 1 OFFSET ${SMALL_TAIL}`,
  )
  return newest - through > SMALL_TAIL || isChanged.get(name) === 1 ? { through } : null
}

function advance(connection: Connection, resource: Resource, through: number): void {
  const { query } = connection
  const { name } = resource
  const insert = `INSERT INTO ${tableOf(name)}_search (rowid, text) SELECT t.id, ${indexedText(resource)} FROM ${tableOf(name)} t`
  const changed = atOnce(
    connection,
    `SELECT c.id, ${lengthSql(resource)} FROM search_changes c LEFT JOIN ${tableOf(name)} t ON t.id = c.id WHERE c.resource = ?`,
    name,
  )
  for (const id of changed.ids) {
    query<[number], unknown>(`DELETE FROM ${tableOf(name)}_search WHERE rowid = ?`).run(id)
    query<[number, number], unknown>(`${insert} WHERE t.id = ? AND t.id <= ?`).run(id, through)
    query<[string, number], unknown>('DELETE FROM search_changes WHERE resource = ? AND id = ?').run(name, id)
  }
  if (changed.areMore) return
  const fresh = atOnce(
    connection,
    `SELECT t.id, ${lengthSql(resource)} FROM ${tableOf(name)} t WHERE t.id > ? ORDER BY t.id`,
    through,
  )
  const end = fresh.ids.at(-1)
  if (end === undefined) return
  query<[number, number], unknown>(`${insert} WHERE t.id > ? AND t.id <= ?`).run(through, end)
  query<[number, string], unknown>('UPDATE search_indexes SET through_id = ? WHERE resource = ?').run(end, name)
}

/** Runs a query for ids and lengths, and returns as many ids as fit into one step. */
function atOnce({ rows }: Connection, sql: string, bound: string | number) {
  const found = rows<[string | number], [id: number, length: number]>(sql).iterate(bound)
  const { rows: some, isCut } = upTo(STEP_LENGTH, found, ([, length]) => length, STEP)
  return { ids: some.map(([id]) => id), areMore: isCut }
}
