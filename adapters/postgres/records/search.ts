import type { Resource } from '../../../core/resources/resource.ts'
import { fold } from '../../../core/search.ts'
import { raw, type Sql, sql } from '../database/sql.ts'

/** Separates the searched fields so that no match spans two; no needle contains it. */
const SEPARATOR = '\x1f'
/** A trigram index finds nothing shorter. */
const TRIGRAM = 3

/**
 * The folded text that a search looks in, with its table's alias, such as `t.`. The search index uses this expression.
 */
export const searchedText = ({ search }: Pick<Resource, 'search'>, alias: string): string =>
  `fold(${search.map(field => `coalesce(${alias}${field}, '')`).join(' || chr(31) || ')})`

export interface Needle {
  /** True for records `t` that contain the text. */
  readonly condition: Sql
  /** Can an index find it? */
  readonly isIndexed: boolean
}

/** The text to search for; null if no record can contain it. */
export function needleOf(resource: Resource, search: string): Needle | null {
  if (search.includes(SEPARATOR) || search.includes('\0')) return null
  const folded = fold(search)
  const pattern = `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`
  return {
    condition: sql`${raw(searchedText(resource, 't.'))} LIKE ${pattern}`,
    isIndexed: [...folded].length >= TRIGRAM,
  }
}
