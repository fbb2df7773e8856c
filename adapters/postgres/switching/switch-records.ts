import type { StoredRoute } from '../../../core/ports/prefix-routes.ts'
import type { Row } from '../../../core/resources/resource.ts'
import type { SwitchDid, Trunk } from '../../../core/switching/directory.ts'
import type { TenantRow } from '../../../core/switching/stored/known-tenant.ts'
import { type DidRow, didIn, extensionIn, queueIn, trunkIn } from '../../../core/switching/stored/rows.ts'
import { ROUTE_TABLES, type RouteRow, routeIn } from '../../sql/prefix-routes.ts'
import type { Database } from '../database/database.ts'
import { idOf, keyPages } from '../database/key-pages.ts'
import { raw, type Sql, sql } from '../database/sql.ts'

/** Reads records in the form in which switches need them. */
export type SwitchRecords = ReturnType<typeof switchRecords>

const PAGE = 2_000

const EXTENSIONS = raw(`SELECT id, extension_number AS number, display_name AS "displayName", secret, status,
  voicemail_enabled, (SELECT count(*) FROM devices WHERE extension_id = e.id) AS devices FROM extensions e`)

const QUEUES = raw(`SELECT id, queue_number AS number, name, strategy, timeout, status,
  (SELECT coalesce(json_agg(json_build_array(x.extension_number, a.penalty) ORDER BY a.penalty, a.id), '[]')
   FROM agents a JOIN extensions x ON x.id = a.extension_id WHERE a.queue_id = q.id) AS agents FROM queues q`)

const DIDS = raw(`SELECT id, tenant_id AS "tenantId", number, provider, status,
  (SELECT coalesce(json_agg(json_build_array(t.type, t.number) ORDER BY t.id), '[]') FROM (
     SELECT r.id, r.target_type AS type, CASE r.target_type
       WHEN 'extension' THEN (SELECT extension_number FROM extensions WHERE id = r.target_id)
       ELSE (SELECT queue_number FROM queues WHERE id = r.target_id) END AS number
     FROM routes r WHERE r.did_id = d.id) t WHERE t.number IS NOT NULL) AS targets FROM dids d`)

export function switchRecords(database: Database) {
  const first = async <R, T>(statement: Sql, read: (row: R) => T): Promise<T | null> => {
    const row = await database.row<R>(statement)
    return row === undefined ? null : read(row)
  }
  const all = async <R extends { readonly id: number }, T>(
    select: Sql,
    tenantId: number,
    read: (row: R) => T,
  ): Promise<T[]> => {
    const found: T[] = []
    const after = (id: number) => sql`${select} WHERE tenant_id = ${tenantId} AND id > ${id} ORDER BY id`
    for await (const rows of keyPages<R>(database, PAGE, idOf, after)) for (const row of rows) found.push(read(row))
    return found
  }
  const { table, column } = ROUTE_TABLES.trunkRoutes
  const tenantBy = async (statement: Sql): Promise<number | null> => (await database.value<number>(statement)) ?? null
  return {
    tenant: (id: number): Promise<TenantRow | null> =>
      first<TenantRow, TenantRow>(
        sql`SELECT id, slug, domain, status, timezone, settings FROM tenants WHERE id = ${id}`,
        row => row,
      ),
    tenantWith: {
      slug: (slug: string) => tenantBy(sql`SELECT id FROM tenants WHERE slug = ${slug}`),
      domain: (domain: string) => tenantBy(sql`SELECT id FROM tenants WHERE domain = ${domain}`),
    },
    tenantIds: (): Promise<number[]> => database.values<number>(sql`SELECT id FROM tenants ORDER BY id`),
    extension: (tenantId: number, number: string) =>
      first(sql`${EXTENSIONS} WHERE tenant_id = ${tenantId} AND extension_number = ${number}`, extensionIn),
    queue: (tenantId: number, number: string) =>
      first(sql`${QUEUES} WHERE tenant_id = ${tenantId} AND queue_number = ${number} ORDER BY id LIMIT 1`, queueIn),
    did: (id: number) => first(sql`${DIDS} WHERE id = ${id}`, didIn),
    /** The DIDs with a route to this extension. */
    didsTo: async (extensionId: number): Promise<SwitchDid[]> =>
      (
        await database.rows<DidRow>(sql`${DIDS} WHERE id IN (SELECT did_id FROM routes
          WHERE target_type = 'extension' AND target_id = ${extensionId} LIMIT ${raw(String(PAGE))}) ORDER BY id`)
      ).map(didIn),
    /**
     * Of the tenant's active DIDs, the oldest that belongs to the trunk or to no known trunk, and the oldest of all.
     */
    shownBy: async (tenantId: number, trunk: string): Promise<SwitchDid[]> => {
      const active = sql`${DIDS} WHERE tenant_id = ${tenantId} AND status = 'active'`
      const shown = await database.row<DidRow>(sql`${active} AND (provider = ${trunk}
        OR NOT EXISTS (SELECT 1 FROM trunks WHERE name = provider)) ORDER BY id LIMIT 1`)
      const oldest = await database.row<DidRow>(sql`${active} ORDER BY id LIMIT 1`)
      return [shown, oldest].flatMap(row => (row ? [didIn(row)] : []))
    },
    trunks: async (): Promise<ReadonlyMap<string, Trunk>> => {
      const rows = await database.rows<Row & { readonly id: number }>(sql`SELECT * FROM trunks ORDER BY id`)
      return new Map(rows.map(row => [String(row['name']), trunkIn(row)]))
    },
    routes: async (): Promise<readonly StoredRoute[]> => {
      const rows = await database.rows<RouteRow>(
        sql`SELECT id, tenant_id, prefix, ${raw(column)} AS ids FROM ${raw(table)} ORDER BY id`,
      )
      return rows.map(routeIn)
    },
    /** All records of one tenant. */
    of: {
      extensions: (tenantId: number) => all(EXTENSIONS, tenantId, extensionIn),
      queues: (tenantId: number) => all(QUEUES, tenantId, queueIn),
      dids: (tenantId: number) => all(DIDS, tenantId, didIn),
    },
  }
}
