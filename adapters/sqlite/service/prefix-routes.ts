import type { PrefixRoutes, StoredRoute } from '../../../core/ports/prefix-routes.ts'
import { type RouteRow, type RouteTable, routeChanges, routeIn } from '../../sql/prefix-routes.ts'
import type { Connection } from '../database/database.ts'
import type { Writer } from '../database/writer.ts'
import type { AuditTrail } from './audit.ts'

/** The storage port for one kind of routes. */
export function prefixRoutes(
  { query }: Connection,
  writer: Writer,
  trail: AuditTrail,
  routes: RouteTable,
): PrefixRoutes {
  const { table, column } = routes
  const rows = `SELECT id, tenant_id, prefix, ${column} AS ids FROM ${table}`
  const all = query<[], RouteRow>(`${rows} ORDER BY tenant_id, prefix, id`)
  const same = query<[number | null, string], RouteRow>(`${rows} WHERE tenant_id IS ? AND prefix = ?`)
  const insert = query<[number | null, string, string], unknown>(
    `INSERT INTO ${table} (tenant_id, prefix, ${column}) VALUES (?, ?, ?)`,
  )
  const update = query<[string, number], unknown>(`UPDATE ${table} SET ${column} = ? WHERE id = ?`)
  const discard = query<[number], RouteRow>(
    `DELETE FROM ${table} WHERE id = ? RETURNING id, tenant_id, prefix, ${column} AS ids`,
  )
  return {
    all: async () => all.all().map(routeIn),
    set: ({ tenant_id, prefix, via }, by) =>
      writer.write((): StoredRoute => {
        const ids = JSON.stringify(via)
        const former = same.get(tenant_id, prefix)
        if (former) update.run(ids, former.id)
        const id = former?.id ?? Number(insert.run(tenant_id, prefix, ids).lastInsertRowid)
        if (former?.ids !== ids)
          trail.note(
            former ? 'update' : 'create',
            table,
            id,
            routeChanges(routes, { tenant_id, prefix }, former?.ids ?? null, ids),
            by,
          )
        return { id, tenant_id, prefix, via }
      }),
    remove: (id, by) =>
      writer.write(() => {
        const former = discard.get(id)
        if (former) trail.note('delete', table, id, routeChanges(routes, former, former.ids, null), by)
        return former !== undefined
      }),
  }
}
