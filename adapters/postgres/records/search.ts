import type { Resource } from '../../../core/resources/resource.ts'
import { fold } from '../../../core/search.ts'
import { raw, type Sql, sql } from '../database/sql.ts'

/** Stands between the searched fields, so that none runs into another; no needle holds it. */
const SEPARATOR = '\x1f'
/** An index of trigrams finds nothing shorter. */
const TRIGRAM = 3

/** The folded text that a search looks in, with the alias of its table, as `t.`; the search index is of this expression. */
export const searchedText = ({ search }: Pick<Resource, 'search'>, alias: string): string =>
  `fold(${search.map(field => `coalesce(${alias}${field}, '')`).join(' || chr(31) || ')})`

export interface Needle {
  /** True for the records `t` that hold it. */
  readonly condition: Sql
  /** Can an index find it? */
  readonly isIndexed: boolean
}

/** What is searched for; null where nothing can hold it. */
export function needleOf(resource: Resource, search: string): Needle | null {
  if (search.includes(SEPARATOR) || search.includes('\0')) return null
  const folded = fold(search)
  const pattern = `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`
  return {
    condition: sql`${raw(searchedText(resource, 't.'))} LIKE ${pattern}`,
    isIndexed: [...folded].length >= TRIGRAM,
  }
}
