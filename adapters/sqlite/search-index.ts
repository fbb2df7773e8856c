import { resources } from '../../core/resources/all.ts'
import type { Resource } from '../../core/resources/resource.ts'
import type { Connection } from './database.ts'

/**
 * A trigram index for each searched resource that follows behind the writes. Up to `through_id` it holds every record
 * as it was when it was indexed; later records are looked through, and records changed since are noted by triggers in
 * `search_changes`. Whoever searches checks each candidate against the record itself, so what the index holds of
 * changed or deleted ones does no harm.
 */

/** Records that need no index yet: looking through so many costs less than a millisecond. */
const SMALL_TAIL = 500
/** Looking through more than this costs more than it is worth before the ordered scan. */
const LARGE_TAIL = 20_000
/** When the index finds more than this, so many records match that a scan in order finds them as fast. */
const MAX_CANDIDATES = 20_000
/** Records indexed in one step: some milliseconds. */
const STEP = 200
const MAX_TRIGRAMS = 24

const searched: readonly Resource[] = resources.filter(resource => resource.search.length > 0)

/** The SQL of the text that a search looks in, of the record `t`: the fields, and a SEPARATOR between them. */
export const searchedText = ({ search }: Pick<Resource, 'search'>): string =>
  search.map(field => `coalesce(t.${field}, '')`).join(` || char(31) || `)

/** Makes the index of each resource whose searched fields have none yet, or not the present ones. */
export function ensureSearchIndexes({ db, value }: Connection): void {
  const fieldsOf = value<[string], string>('SELECT fields FROM search_indexes WHERE resource = ?')
  const stale = searched.filter(({ name, search }) => fieldsOf.get(name) !== search.join())
  if (stale.length === 0) return
  db.transaction(() => {
    for (const { name, search } of stale) {
      const noted = (id: string) => `INSERT OR IGNORE INTO search_changes VALUES ('${name}', ${id});`
      const differs = search.map(field => `old.${field} IS NOT new.${field}`).join(' OR ')
      db.exec(`
        DROP TABLE IF EXISTS ${name}_search;
        DROP TRIGGER IF EXISTS ${name}_search_update;
        DROP TRIGGER IF EXISTS ${name}_search_delete;
        CREATE VIRTUAL TABLE ${name}_search USING fts5(
          text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1');
        CREATE TRIGGER ${name}_search_update AFTER UPDATE OF ${search.join()} ON ${name} WHEN ${differs}
        BEGIN ${noted('old.id')} END;
        CREATE TRIGGER ${name}_search_delete AFTER DELETE ON ${name} BEGIN ${noted('old.id')} END;
        DELETE FROM search_changes WHERE resource = '${name}';
        INSERT OR REPLACE INTO search_indexes VALUES ('${name}', '${search.join()}', 0);`)
    }
  }).immediate()
}

/** Stands between the searched fields, so that none runs into another; no needle holds it. */
export const SEPARATOR = '\x1f'

/** The ids that may hold the folded needle, or null when looking through the records in order is the better way. */
export function candidates({ db, value }: Connection, { name }: Resource, needle: string): number[] | null {
  const trigrams = trigramsOf(needle)
  if (trigrams.length === 0 || needle.includes('\0')) return null
  return db.transaction(() => {
    const through = value<[string], number>('SELECT through_id FROM search_indexes WHERE resource = ?').get(name) ?? 0
    const tail = value<[number, number], number>(`SELECT id FROM ${name} WHERE id > ? LIMIT ?`).all(
      through,
      LARGE_TAIL + 1,
    )
    if (tail.length > LARGE_TAIL) return null
    const changed = value<[string, number], number>('SELECT id FROM search_changes WHERE resource = ? LIMIT ?').all(
      name,
      LARGE_TAIL + 1,
    )
    if (changed.length > LARGE_TAIL) return null
    const indexed = value<[string, number], number>(
      `SELECT rowid FROM ${name}_search WHERE ${name}_search MATCH ? LIMIT ?`,
    ).all(trigrams.map(trigram => `"${trigram.replaceAll('"', '""')}"`).join(' AND '), MAX_CANDIDATES + 1)
    return indexed.length > MAX_CANDIDATES ? null : [...new Set([...indexed, ...tail, ...changed])]
  })()
}

/** The needle's first trigrams: enough to narrow the search, and all of a short one. */
function trigramsOf(needle: string): string[] {
  const characters = [...needle]
  const all = new Set(characters.slice(2).map((last, i) => `${characters[i]}${characters[i + 1]}${last}`))
  return [...all].slice(0, MAX_TRIGRAMS)
}

/** Is there anything worth a step of `advanceSearchIndexes`? */
export const areIndexesBehind = (connection: Connection): boolean =>
  searched.some(resource => behind(connection, resource) !== null)

/** Brings the indexes a step nearer to the records; false when there is nothing worth a step. Runs in a transaction. */
export const advanceSearchIndexes = (connection: Connection): boolean =>
  searched.some(resource => {
    const found = behind(connection, resource)
    if (found) advance(connection, resource, found)
    return found !== null
  })

interface Behind {
  readonly through: number
  readonly newest: number
  readonly changed: readonly number[]
}

/** What an index has to catch up with; null when that is too little. */
function behind({ value }: Connection, { name }: Resource): Behind | null {
  const through = value<[string], number>('SELECT through_id FROM search_indexes WHERE resource = ?').get(name) ?? 0
  const newest = value<[], number | null>(`SELECT max(id) FROM ${name}`).get() ?? 0
  const changed = value<[string, number], number>('SELECT id FROM search_changes WHERE resource = ? LIMIT ?').all(
    name,
    SMALL_TAIL + 1,
  )
  return newest - through > SMALL_TAIL || changed.length > SMALL_TAIL ? { through, newest, changed } : null
}

function advance({ value, query }: Connection, { name, search }: Resource, { through, newest, changed }: Behind): void {
  const text = `fold(${searchedText({ search })})`
  for (const id of changed) {
    query<[number], unknown>(`DELETE FROM ${name}_search WHERE rowid = ?`).run(id)
    query<[number, number], unknown>(
      `INSERT INTO ${name}_search (rowid, text) SELECT id, ${text} FROM ${name} t WHERE id = ? AND id <= ?`,
    ).run(id, through)
    query<[string, number], unknown>('DELETE FROM search_changes WHERE resource = ? AND id = ?').run(name, id)
  }
  const end =
    value<[number], number>(`SELECT id FROM ${name} WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${STEP - 1}`).get(
      through,
    ) ?? newest
  query<[number, number], unknown>(
    `INSERT INTO ${name}_search (rowid, text) SELECT id, ${text} FROM ${name} t WHERE id > ? AND id <= ?`,
  ).run(through, end)
  query<[number, string], unknown>('UPDATE search_indexes SET through_id = ? WHERE resource = ?').run(end, name)
}
