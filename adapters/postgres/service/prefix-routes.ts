import type { PrefixRoutes, StoredRoute } from '../../../core/ports/prefix-routes.ts'
import { type RouteRow, type RouteTable, routeChanges, routeIn } from '../../sql/prefix-routes.ts'
import type { Database } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import type { AuditTrail } from './audit.ts'

/** The storage port for the routes of one kind. */
export function prefixRoutes(database: Database, trail: AuditTrail, routes: RouteTable): PrefixRoutes {
  const { table, column } = routes
  const [into, via] = [raw(table), raw(column)]
  const columns = raw(`id, tenant_id, prefix, ${column} AS ids`)
  return {
    all: async () =>
      (
        await database.rows<RouteRow>(sql`SELECT ${columns} FROM ${into} ORDER BY tenant_id NULLS FIRST, prefix, id`)
      ).map(routeIn),
    set: (route, by) =>
      database.write(async (within): Promise<StoredRoute> => {
        const { tenant_id, prefix, via: wanted } = route
        const ids = JSON.stringify(wanted)
        // No constraint prevents duplicate routes of all tenants.
        await within.run(sql`LOCK TABLE ${into} IN SHARE ROW EXCLUSIVE MODE`)
        const former = await within.row<RouteRow>(
          sql`SELECT ${columns} FROM ${into} WHERE tenant_id IS NOT DISTINCT FROM ${tenant_id} AND prefix = ${prefix}`,
        )
        if (former) await within.run(sql`UPDATE ${into} SET ${via} = ${ids} WHERE id = ${former.id}`)
        const id =
          former?.id ??
          (await within.value<number>(
            sql`INSERT INTO ${into} (tenant_id, prefix, ${via}) VALUES (${tenant_id}, ${prefix}, ${ids}) RETURNING id`,
          )) ??
          0
        const noted = routeChanges(routes, route, former?.ids ?? null, ids)
        if (former?.ids !== ids) await trail.note(within, former ? 'update' : 'create', table, id, noted, by)
        return { id, tenant_id, prefix, via: wanted }
      }),
    remove: (id, by) =>
      database.write(async within => {
        const former = await within.row<RouteRow>(sql`DELETE FROM ${into} WHERE id = ${id} RETURNING ${columns}`)
        if (former) await trail.note(within, 'delete', table, id, routeChanges(routes, former, former.ids, null), by)
        return former !== undefined
      }),
  }
}
