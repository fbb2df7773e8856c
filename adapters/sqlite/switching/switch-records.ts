import type { StoredRoute } from '../../../core/ports/prefix-routes.ts'
import type { Row } from '../../../core/resources/resource.ts'
import type { SwitchDid, Trunk } from '../../../core/switching/directory.ts'
import type { TenantRow } from '../../../core/switching/stored/known-tenant.ts'
import {
  type DidRow,
  didIn,
  type ExtensionRow,
  extensionIn,
  type QueueRow,
  queueIn,
  trunkIn,
} from '../../../core/switching/stored/rows.ts'
import { ROUTE_TABLES, type RouteRow, routeIn } from '../../sql/prefix-routes.ts'
import type { Connection } from '../database/database.ts'

/** Reads the records for switches, in the form that switches need. */
export type SwitchRecords = ReturnType<typeof switchRecords>

/** Records read at once: some milliseconds. */
const PAGE = 500

const EXTENSIONS = `SELECT id, extension_number AS number, display_name AS displayName, secret, status, voicemail_enabled,
  (SELECT count(*) FROM devices WHERE extension_id = e.id) AS devices FROM extensions e`

const QUEUES = `SELECT id, queue_number AS number, name, strategy, timeout, status,
  (SELECT json_group_array(json_array(number, penalty)) FROM (
     SELECT x.extension_number AS number, a.penalty AS penalty FROM agents a JOIN extensions x ON x.id = a.extension_id
     WHERE a.queue_id = q.id ORDER BY a.penalty, a.id)) AS agents FROM queues q`

const DIDS = `SELECT id, tenant_id AS tenantId, number, provider, status,
  (SELECT json_group_array(json_array(type, number)) FROM (
     SELECT r.target_type AS type, CASE r.target_type
       WHEN 'extension' THEN (SELECT extension_number FROM extensions WHERE id = r.target_id)
       ELSE (SELECT queue_number FROM queues WHERE id = r.target_id) END AS number
     FROM routes r WHERE r.did_id = d.id ORDER BY r.id)
   WHERE number IS NOT NULL) AS targets FROM dids d`

export function switchRecords({ query, value }: Connection) {
  const tenant = query<[number], TenantRow>(
    'SELECT id, slug, domain, status, timezone, settings FROM tenants WHERE id = ?',
  )
  const tenantIds = value<[number], number>(`SELECT id FROM tenants WHERE id > ? ORDER BY id LIMIT ${PAGE}`)
  const bySlug = value<[string], number>('SELECT id FROM tenants WHERE slug = ?')
  const byDomain = value<[string], number>('SELECT id FROM tenants WHERE domain = ?')
  const extension = query<[number, string], ExtensionRow>(`${EXTENSIONS} WHERE tenant_id = ? AND extension_number = ?`)
  const queue = query<[number, string], QueueRow>(
    `${QUEUES} WHERE tenant_id = ? AND queue_number = ? ORDER BY id LIMIT 1`,
  )
  const did = query<[number], DidRow>(`${DIDS} WHERE id = ?`)
  const firstShown = query<[{ tenant: number; trunk: string }], DidRow>(
    `${DIDS} WHERE tenant_id = @tenant AND status = 'active'
       AND (provider = @trunk OR NOT EXISTS (SELECT 1 FROM trunks WHERE name = provider)) ORDER BY id LIMIT 1`,
  )
  const oldest = query<[number], DidRow>(`${DIDS} WHERE tenant_id = ? AND status = 'active' ORDER BY id LIMIT 1`)
  const leadingTo = query<[number], DidRow>(
    `${DIDS} WHERE id IN (SELECT did_id FROM routes WHERE target_type = 'extension' AND target_id = ? LIMIT ${PAGE})`,
  )
  const trunks = query<[], Row & { readonly id: number }>('SELECT * FROM trunks ORDER BY id')
  const { table, column } = ROUTE_TABLES.trunkRoutes
  const routes = query<[], RouteRow>(`SELECT id, tenant_id, prefix, ${column} AS ids FROM ${table} ORDER BY id`)
  const pages = {
    extensions: query<[number, number], ExtensionRow>(page(EXTENSIONS)),
    queues: query<[number, number], QueueRow>(page(QUEUES)),
    dids: query<[number, number], DidRow>(page(DIDS)),
  }
  const found = <R, T>(row: R | undefined, read: (row: R) => T): T | null => (row === undefined ? null : read(row))
  return {
    tenant: (id: number): TenantRow | null => tenant.get(id) ?? null,
    tenantWith: {
      slug: (slug: string) => bySlug.get(slug) ?? null,
      domain: (domain: string) => byDomain.get(domain) ?? null,
    },
    /** Returns ids, in pages. */
    tenantsAfter: (id: number): readonly number[] => tenantIds.all(id),
    extension: (tenantId: number, number: string) => found(extension.get(tenantId, number), extensionIn),
    queue: (tenantId: number, number: string) => found(queue.get(tenantId, number), queueIn),
    did: (id: number) => found(did.get(id), didIn),
    /** Returns the DIDs with a route to that extension. */
    didsTo: (extensionId: number): SwitchDid[] => leadingTo.all(extensionId).map(didIn),
    /**
     * Returns the tenant's oldest active DID whose calls come from the trunk or from no known trunk, and its oldest
     * one.
     */
    shownBy: (tenantId: number, trunk: string): SwitchDid[] =>
      [firstShown.get({ tenant: tenantId, trunk }), oldest.get(tenantId)].flatMap(row => (row ? [didIn(row)] : [])),
    trunks: (): ReadonlyMap<string, Trunk> => new Map(trunks.all().map(row => [String(row['name']), trunkIn(row)])),
    routes: (): readonly StoredRoute[] => routes.all().map(routeIn),
    /** By id, in pages; the last has fewer than PAGE. */
    after: {
      extensions: (tenantId: number, id: number) => pages.extensions.all(tenantId, id).map(extensionIn),
      queues: (tenantId: number, id: number) => pages.queues.all(tenantId, id).map(queueIn),
      dids: (tenantId: number, id: number) => pages.dids.all(tenantId, id).map(didIn),
    },
  }
}

const page = (select: string): string => `${select} WHERE tenant_id = ? AND id > ? ORDER BY id LIMIT ${PAGE}`

/** Returns all records of pages, each page in its own step. */
export async function allIn<R extends { readonly id: number }>(
  turn: <T>(step: () => T) => Promise<T>,
  after: (id: number) => readonly R[],
): Promise<R[]> {
  const all: R[] = []
  for (;;) {
    const found = await turn(() => after(all.at(-1)?.id ?? 0))
    all.push(...found)
    if (found.length < PAGE) return all
  }
}
