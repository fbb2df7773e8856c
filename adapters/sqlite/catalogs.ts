import { setImmediate as nextTurn } from 'node:timers/promises'
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
  /** Makes it ready for `of`, in steps that leave the event loop free, if it is not and nothing changes meanwhile. */
  ready(tenantId: number): Promise<void>
  /** Builds each anew when it is asked for next: after a transaction was undone, revisions may come again. */
  forget(): void
}

type RateRow = [id: number, prefix: string, pricePerMinute: number, increment: number]

/** Rates read at once: some milliseconds. */
const PAGE = 5_000

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
  const page = rows<[number, number], RateRow>(
    `SELECT id, prefix, cost_per_minute, billing_increment FROM rates
     WHERE tenant_id = ? AND status = 'active' AND id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  const extensions = rows<[number], [string, number]>('SELECT extension_number, id FROM extensions WHERE tenant_id = ?')
  const dids = value<[number], string>('SELECT number FROM dids WHERE tenant_id = ?')

  function* ratePages(tenantId: number): Generator<readonly RateRow[]> {
    for (let last = 0; ; ) {
      const found = page.all(tenantId, last)
      yield found
      if (found.length < PAGE) return
      last = found.at(-1)?.[0] ?? last
    }
  }
  const build = (tenantId: number, settings: string | null, rates: Iterable<RateRow>): Catalog => {
    const prefix = internationalPrefixOf(settings === null ? null : parseJson(settings))
    return {
      tenantId,
      deck: buildDeck(activeRates(rates), prefix),
      extensions: new Map(extensions.all(tenantId)),
      dids: new Set(
        dids
          .all(tenantId)
          .map(number => dialled(number, prefix))
          .filter(number => number !== ''),
      ),
    }
  }
  const isKept = (tenantId: number): boolean => kept.get(tenantId)?.revision === revision(tenantId)
  const revision = (tenantId: number): string => revisionOf.get({ tenant: tenantId }) ?? ''
  const keep = (tenantId: number, rates: Iterable<RateRow>): Catalog | null => {
    const settings = settingsOf.get(tenantId)
    if (!settings) return null
    const catalog = build(tenantId, settings[0], rates)
    kept.set(tenantId, { revision: revision(tenantId), catalog })
    return catalog
  }
  // One snapshot of revision, settings, rates and numbers, whoever writes meanwhile.
  const current = db.transaction((tenantId: number): Catalog | null =>
    isKept(tenantId) ? (kept.get(tenantId)?.catalog ?? null) : keep(tenantId, flat(ratePages(tenantId))),
  )
  const keepIfSame = db.transaction((tenantId: number, since: string, rates: readonly RateRow[]): void => {
    if (revision(tenantId) === since) keep(tenantId, rates)
  })
  return {
    of: current,
    ready: async tenantId => {
      if (isKept(tenantId)) return
      const since = revision(tenantId)
      const rates: RateRow[] = []
      for (const found of ratePages(tenantId)) {
        rates.push(...found)
        await nextTurn()
      }
      keepIfSame(tenantId, since, rates)
    },
    forget: () => kept.clear(),
  }
}

function* flat<T>(pages: Iterable<readonly T[]>): Generator<T> {
  for (const page of pages) yield* page
}

function* activeRates(rows: Iterable<RateRow>) {
  for (const [id, prefix, pricePerMinute, increment] of rows)
    yield { id, prefix, pricePerMinute, increment, active: true }
}
