import type { Bulk, ImportPlace } from '../../../core/ports/bulk.ts'
import type { Selection } from '../../../core/ports/records.ts'
import { namedReferences } from '../../../core/resources/references/names.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { keepsPlace } from '../../../core/transfer/imported-resource.ts'
import { referenceNameSql } from '../../sql/reference-names.ts'
import { tableOf } from '../../sql/table.ts'
import type { Bound } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import { translating } from '../database/errors.ts'
import { keySetPages } from '../database/key-set.ts'
import type { Foundation } from '../foundation.ts'
import { selectionSql } from '../records/selection.ts'
import { hasUnbounded } from '../records/view.ts'
import { directLoad } from './bulk-direct.ts'
import { stagedLoad } from './bulk-staged.ts'
import { KEPT_JOIN, keptSql } from './imported-calls.ts'

const DUMP_PAGE = 500

type DumpRow = [key: string | number, id: number, ...values: Bound[]]

/** The storage port for many records at once. */
export function bulk(foundation: Foundation): Bulk {
  const { connection } = foundation
  return {
    load: plan => {
      const load = (keepsPlace(plan.resource) ? directLoad : stagedLoad)(foundation, plan)
      return Object.defineProperty(translating(load), 'batchSize', { get: () => load.batchSize })
    },
    places: async ({ name }) =>
      connection.query<[string], ImportPlace>('SELECT input, mark FROM imports WHERE resource = ?').all(name),
    lastId: async ({ name }) =>
      connection.value<[], number>(`SELECT coalesce(max(id), 0) FROM ${tableOf(name)}`).get() ?? 0,
    dump: (resource, fields, selection) => dump(connection, resource, fields, selection),
    asOfNow: async read => {
      connection.query('BEGIN').run()
      try {
        return await read({ dump: (...parameters) => dump(connection, ...parameters) })
      } finally {
        connection.query('ROLLBACK').run()
      }
    },
  }
}

/**
 * Reads by id, without an index: a page continues where the last one ended. With a period, reads by the index on its
 * dates.
 */
async function* dump(
  connection: Connection,
  resource: Resource,
  fields: readonly string[],
  { period, ...selection }: Selection,
): AsyncIterable<Bound[][]> {
  const selected = selectionSql(connection, resource, selection)
  const order = `t.${resource.order}`
  const conditions = [
    ...(period ? [`(${order}, t.id) > (?, ?)`, `${order} < ?`] : ['t.id > ?']),
    ...selected.map(({ sql }) => sql),
  ]
  const sql = `SELECT ${order}, t.id, ${fields.map(field => namedSql(resource, field)).join()}
    FROM ${tableOf(resource.name)} t ${period ? '' : 'NOT INDEXED'} ${fields.some(field => field in resource.kept) ? KEPT_JOIN : ''}
    WHERE ${conditions.join(' AND ')} ORDER BY ${period ? `${order}, ` : ''}t.id LIMIT ${DUMP_PAGE}`
  const page = connection.rows<Bound[], DumpRow>(sql)
  const isLong = hasUnbounded(resource, fields)
  const after = ([key, id]: DumpRow = [period?.from ?? 0, 0]): Iterable<DumpRow> => {
    const bound = [...(period ? [key, id, period.to] : [id]), ...selected.flatMap(each => each.bound)]
    return isLong ? page.iterate(...bound) : page.all(...bound)
  }
  const pages = keySetPages(DUMP_PAGE, after, isLong ? lengthOf : undefined)
  const take = connection.turns.begin()
  for (;;) {
    const { value: rows, done } = await take(() => pages.next())
    if (done) return
    yield rows.map(([, , ...values]) => values)
  }
}

const lengthOf = (row: DumpRow): number =>
  row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)

/** The SQL of a field's value, or of the name of the record it points to. */
function namedSql(resource: Resource, field: string): string {
  if (field in resource.kept) return keptSql[field] ?? 'NULL'
  const reference = namedReferences(resource).find(named => named.field === field)
  if (!reference) return `t.${field}`
  const isOwnOuter = reference.outer !== null && resource.fields[reference.outer] !== undefined
  return referenceNameSql(reference, 't', ({ own, outer }, full) =>
    outer && isOwnOuter ? `iif(r_t.${outer.field} = t.${outer.field}, r_t.${own}, ${full})` : full,
  )
}
