import { parseJson } from '../../core/json.ts'
import { buildDeck } from '../../core/rating/deck.ts'
import { dialled, internationalPrefixOf } from '../../core/rating/number.ts'
import type { Catalog } from '../../core/rating/record-call.ts'
import type { Connection } from './database.ts'

export interface Catalogs {
  /**
   * The catalog of a tenant as it is in the present transaction; null when there is no such tenant. Kept until the
   * tenant's revision says that something it is made of has changed, in this process or another.
   */
  of(tenantId: number): Catalog | null
  /** Builds each anew when it is asked for next: after a transaction was undone, revisions may come again. */
  forget(): void
}

type RateRow = [id: number, prefix: string, pricePerMinute: number, increment: number]

export function catalogs({ db, rows, value }: Connection): Catalogs {
  const kept = new Map<number, { readonly revision: string; readonly catalog: Catalog }>()
  const parts = [
    'SELECT revision FROM catalog_revisions WHERE tenant_id = @tenant',
    ...['rates', 'extensions', 'dids'].map(table => `SELECT max(id) FROM ${table} WHERE tenant_id = @tenant`),
  ]
  const revisionOf = value<[{ tenant: number }], string>(
    `SELECT ${parts.map(part => `coalesce((${part}), 0)`).join(` || ':' || `)}`,
  )
  const settingsOf = rows<[number], [string | null]>('SELECT settings FROM tenants WHERE id = ?')
  const rates = rows<[number], RateRow>(
    `SELECT id, prefix, cost_per_minute, billing_increment FROM rates WHERE tenant_id = ? AND status = 'active'`,
  )
  const extensions = rows<[number], [string, number]>('SELECT extension_number, id FROM extensions WHERE tenant_id = ?')
  const dids = value<[number], string>('SELECT number FROM dids WHERE tenant_id = ?')

  const build = (tenantId: number, settings: string | null): Catalog => {
    const prefix = internationalPrefixOf(settings === null ? null : parseJson(settings))
    return {
      tenantId,
      deck: buildDeck(activeRates(rates.iterate(tenantId)), prefix),
      extensions: new Map(extensions.all(tenantId)),
      dids: new Set(
        dids
          .all(tenantId)
          .map(number => dialled(number, prefix))
          .filter(number => number !== ''),
      ),
    }
  }
  const current = (tenantId: number): Catalog | null => {
    const revision = revisionOf.get({ tenant: tenantId }) ?? ''
    const known = kept.get(tenantId)
    if (known?.revision === revision) return known.catalog
    const settings = settingsOf.get(tenantId)
    if (!settings) return null
    const catalog = build(tenantId, settings[0])
    kept.set(tenantId, { revision, catalog })
    return catalog
  }
  // One snapshot of revision, settings, rates and numbers, whoever writes meanwhile.
  return { of: db.transaction(current), forget: () => kept.clear() }
}

function* activeRates(rows: Iterable<RateRow>) {
  for (const [id, prefix, pricePerMinute, increment] of rows)
    yield { id, prefix, pricePerMinute, increment, active: true }
}
