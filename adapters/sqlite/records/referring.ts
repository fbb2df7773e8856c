import type { Resource } from '../../../core/resources/resource.ts'
import { derived } from '../../sql/derived.ts'
import { tableOf } from '../../sql/table.ts'
import type { Connection } from '../database/database.ts'

interface ForeignKey {
  readonly child: string
  readonly field: string
  readonly parent: string
  readonly onDelete: string
}

/** Rows changed or scanned in a few milliseconds. */
const MANY = 500

/**
 * Returns whether so many rows refer to a record, or to what is deleted with it, that its deletion takes long: each
 * row is deleted, loses its reference, or prevents the deletion.
 */
export function widelyReferredTo({ rows, value }: Connection): (resource: Resource, id: number) => boolean {
  const all = rows<[], [child: string, field: string, parent: string, onDelete: string]>(
    `SELECT t.name, k."from", k."table", k.on_delete FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
     WHERE t.type = 'table'`,
  )
  const selects = (keys: readonly ForeignKey[], table: string, condition: string): string[] =>
    keys
      .filter(({ parent }) => parent === table)
      .flatMap(({ child, field, onDelete }) => {
        const refers = `${field} IN (SELECT id FROM ${table} WHERE ${condition})`
        const further = onDelete === 'CASCADE' ? selects(keys, child, refers) : []
        return [`SELECT 1 FROM ${child} WHERE ${refers}`, ...further]
      })
  const counting = derived(({ name }) => {
    const keys = all.all().map(([child, field, parent, onDelete]) => ({ child, field, parent, onDelete }))
    const referring = selects(keys, tableOf(name), 'id = @id')
    const rows = referring.length === 0 ? 'SELECT 1 WHERE false' : referring.join(' UNION ALL ')
    return value<[{ id: number }], number>(`SELECT count(*) FROM (${rows} LIMIT ${MANY})`)
  })
  return (resource, id) => counting(resource).get({ id }) === MANY
}
