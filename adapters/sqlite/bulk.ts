import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bulk, ImportPlace } from '../../core/ports/bulk.ts'
import type { Clock } from '../../core/ports/system.ts'
import type { Period } from '../../core/rating/period.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { keepsPlace, type NamedReference, namedReferences } from '../../core/use-cases/import.ts'
import type { AuditTrail } from './audit.ts'
import type { Bound } from './bound.ts'
import { directLoad } from './bulk-direct.ts'
import { stagedLoad } from './bulk-staged.ts'
import type { Connection } from './database.ts'
import { translating } from './errors.ts'
import { KEPT_JOIN, keptSql } from './imported-calls.ts'
import { keySetPages } from './key-set.ts'
import type { Writer } from './writer.ts'

const DUMP_PAGE = 500

type DumpRow = [key: string | number, id: number, ...values: Bound[]]

/** The storage port for many records at once. */
export function bulk(connection: Connection, writer: Writer, clock: Clock, trail: AuditTrail): Bulk {
  return {
    load: plan => {
      const load = (keepsPlace(plan.resource) ? directLoad : stagedLoad)(connection, writer, clock, trail, plan)
      return Object.defineProperty(translating(load), 'batchSize', { get: () => load.batchSize })
    },
    places: async ({ name }) =>
      connection.query<[string], ImportPlace>('SELECT input, mark FROM imports WHERE resource = ?').all(name),
    lastId: async ({ name }) => connection.value<[], number>(`SELECT coalesce(max(id), 0) FROM ${name}`).get() ?? 0,
    dump: (resource, fields, where, period) => dump(connection, resource, fields, Object.entries(where), period),
  }
}

/** By id, and by no index: a page then goes on where the last one ended. Of a period, by the index of its dates. */
async function* dump(
  connection: Connection,
  resource: Resource,
  fields: readonly string[],
  where: readonly [field: string, value: number][],
  period: Period | undefined,
): AsyncIterable<Bound[][]> {
  const order = `t.${resource.order}`
  const conditions = [
    ...(period ? [`(${order}, t.id) > (?, ?)`, `${order} < ?`] : ['t.id > ?']),
    ...where.map(([name]) => `t.${name} = ?`),
  ]
  const sql = `SELECT ${order}, t.id, ${fields.map(field => namedSql(resource, field)).join()}
    FROM ${resource.name} t ${period ? '' : 'NOT INDEXED'} ${fields.some(field => field in resource.kept) ? KEPT_JOIN : ''}
    WHERE ${conditions.join(' AND ')} ORDER BY ${period ? `${order}, ` : ''}t.id LIMIT ${DUMP_PAGE}`
  const page = connection.rows<Bound[], DumpRow>(sql)
  const wanted = where.map(([, value]) => value)
  const after = ([key, id]: DumpRow = [period?.from ?? 0, 0]): DumpRow[] =>
    page.all(...(period ? [key, id, period.to] : [id]), ...wanted)
  for (const rows of keySetPages(DUMP_PAGE, after)) {
    yield rows.map(([, , ...values]) => values)
    await nextTurn()
  }
}

/** The SQL of a field's value, or of the name of the record it points to. */
function namedSql(resource: Resource, field: string): string {
  if (field in resource.kept) return keptSql[field] ?? 'NULL'
  const reference = namedReferences(resource).find(named => named.field === field)
  if (!reference) return `t.${field}`
  const { target, scope, own } = reference
  const ownName = own.map(part => `r.${part}`).join(` || '/' || `)
  const name =
    scope.length === 0
      ? ownName
      : `iif(${scope.map(part => `r.${part} = t.${part}`).join(' AND ')}, ${ownName},
          ${scope.map(part => outerName(target, part)).join(` || '/' || `)} || '/' || ${ownName})`
  return `(SELECT ${name} FROM ${target.name} r WHERE r.id = t.${field})`
}

function outerName(resource: Resource, field: string): string {
  const outer: NamedReference | undefined = namedReferences(resource).find(named => named.field === field)
  if (!outer) return `r.${field}`
  const name = outer.own.map(part => `o.${part}`).join(` || '/' || `)
  return `(SELECT ${name} FROM ${outer.target.name} o WHERE o.id = r.${field})`
}
