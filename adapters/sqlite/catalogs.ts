import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog } from '../../core/calls/record-call.ts'
import type { Timestamp } from '../../core/dates.ts'
import type { Dialling } from '../../core/dialling/dialling.ts'
import { diallingOf } from '../../core/dialling/settings.ts'
import { parseJson } from '../../core/json.ts'
import { buildDeck, type Deck } from '../../core/rating/deck.ts'
import { asideWithin, type DeckTimes, deckTimeAt } from '../../core/rating/deck-times.ts'
import type { Period } from '../../core/rating/period.ts'
import type { Connection } from './database.ts'
import { deckTimes } from './deck-times.ts'
import { keySetPages } from './key-set.ts'

export interface Catalogs {
  /**
   * The catalog of a tenant as it is in the present transaction; null when there is no such tenant. The ones used last
   * are kept until the tenant's revision says that something it is made of has changed, in this process or another. A
   * deck that is not the one in force is read when it is first asked for, so that must be within the same transaction.
   */
  of(tenantId: number): Catalog | null
  /** True while nothing that it is made of has changed. */
  isCurrent(catalog: Catalog): boolean
  /**
   * Makes those of one batch ready for `of`, with the decks of that period, in steps that leave the event loop free, if
   * nothing changes meanwhile. None of them is let go before this is called again.
   */
  ready(tenantIds: ReadonlySet<number>, period: () => Period): Promise<void>
  /** Builds each anew when it is asked for next: after a transaction was undone, revisions may come again. */
  forget(): void
}

type RateRow = [seq: number, id: number | null, prefix: string, pricePerMinute: number, increment: number]
type RatePage = readonly RateRow[]

/** A catalog and how many rates and numbers it holds. */
interface Sized extends Catalog {
  readonly size: number
  /** The decks of a period that have not been read yet. */
  unread(period: () => Period): readonly number[]
  keep(deckId: number, rates: Iterable<RatePage>): void
}

/** Rates read at once: some milliseconds. */
const PAGE = 5_000
/** Rates and numbers that are kept in all: some 300 MB. */
const MOST = 1_000_000

export function catalogs(connection: Connection, most = MOST): Catalogs {
  const { db } = connection
  const { revisionOf, ratePages, asidePages, read } = reader(connection)
  const kept = lastUsed(most)
  let revisions = new WeakMap<Catalog, string>()

  const isCurrent = (catalog: Catalog): boolean => revisions.get(catalog) === revisionOf(catalog.tenantId)
  const found = (tenantId: number): Sized | null => {
    const catalog = kept.get(tenantId)
    return catalog && isCurrent(catalog) ? catalog : null
  }
  const build = (tenantId: number, rates: Iterable<RatePage>): Catalog | null => {
    const catalog = read(tenantId, rates)
    if (catalog) {
      revisions.set(catalog, revisionOf(tenantId))
      kept.use(catalog)
    }
    return catalog
  }
  // One snapshot of revision, settings, rates and numbers, whoever writes meanwhile.
  const current = db.transaction((tenantId: number): Catalog | null => {
    const catalog = found(tenantId)
    if (catalog) kept.use(catalog)
    return catalog ?? build(tenantId, ratePages(tenantId))
  })
  const buildIfSame = db.transaction((tenantId: number, since: string, pages: Iterable<RatePage>): void => {
    if (revisionOf(tenantId) === since) build(tenantId, pages)
  })
  return {
    of: current,
    isCurrent,
    ready: async (tenantIds, period) => {
      kept.hold(tenantIds)
      for (const tenantId of tenantIds) {
        if (!found(tenantId)) {
          const since = revisionOf(tenantId)
          buildIfSame(tenantId, since, await inTurns(ratePages(tenantId)))
        }
        const catalog = found(tenantId)
        for (const deckId of catalog?.unread(period) ?? []) {
          const pages = await inTurns(asidePages(deckId))
          if (catalog && isCurrent(catalog)) catalog.keep(deckId, pages)
        }
      }
    },
    forget: () => {
      revisions = new WeakMap()
      kept.clear()
    },
  }
}

/** The catalogs used last, as many as come to `most`, and those that are held. */
function lastUsed(most: number) {
  const kept = new Map<number, Sized>()
  let held: ReadonlySet<number> = new Set()
  return {
    get: (tenantId: number): Sized | undefined => kept.get(tenantId),
    hold: (tenantIds: ReadonlySet<number>): void => {
      held = tenantIds
    },
    use: (catalog: Sized): void => {
      kept.delete(catalog.tenantId)
      let { size } = catalog
      for (const [tenantId, other] of [...kept].reverse()) {
        size += other.size
        if (size > most && !held.has(tenantId)) kept.delete(tenantId)
      }
      kept.set(catalog.tenantId, catalog)
    },
    clear: (): void => kept.clear(),
  }
}

function reader(connection: Connection) {
  const { rows, value } = connection
  const parts = [
    'SELECT revision FROM catalog_revisions WHERE tenant_id = @tenant',
    ...['rates', 'extensions', 'dids'].map(table => `SELECT max(id) FROM ${table} WHERE tenant_id = @tenant`),
  ]
  const revision = value<[{ tenant: number }], string>(
    `SELECT ${parts.map(part => `coalesce((${part}), 0)`).join(` || ':' || `)}`,
  )
  const settingsOf = rows<[number], [string | null]>('SELECT settings FROM tenants WHERE id = ?')
  const page = rows<[number, number], RateRow>(
    `SELECT id, id, prefix, cost_per_minute, billing_increment FROM rates
     WHERE tenant_id = ? AND status = 'active' AND id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  const asidePage = rows<[number, number], RateRow>(
    `SELECT seq, rate_id, prefix, cost_per_minute, billing_increment FROM deck_rates
     WHERE deck_id = ? AND status = 'active' AND seq > ? ORDER BY seq LIMIT ${PAGE}`,
  )
  const asidePages = (deckId: number): Iterable<RatePage> =>
    keySetPages<RateRow>(PAGE, last => asidePage.all(deckId, last?.[0] ?? 0))
  const timesOf = deckTimes(connection)
  const extensions = rows<[number], [string, number]>('SELECT extension_number, id FROM extensions WHERE tenant_id = ?')
  const dids = value<[number], string>('SELECT number FROM dids WHERE tenant_id = ?')
  return {
    revisionOf: (tenantId: number): string => revision.get({ tenant: tenantId }) ?? '',
    ratePages: (tenantId: number): Iterable<RatePage> =>
      keySetPages<RateRow>(PAGE, last => page.all(tenantId, last?.[0] ?? 0)),
    asidePages,
    read(tenantId: number, rates: Iterable<RatePage>): Sized | null {
      const settings = settingsOf.get(tenantId)
      if (!settings) return null
      const dialling = diallingOf(settings[0] === null ? null : parseJson(settings[0]))
      const { size, ...decks } = decksOf(timesOf(tenantId), rates, asidePages, dialling)
      const own = new Map(extensions.all(tenantId))
      const numbers = new Set(dids.all(tenantId).map(number => dialling.read(number).digits))
      numbers.delete('')
      return {
        tenantId,
        dialling,
        ...decks,
        extensions: own,
        dids: numbers,
        get size() {
          return size() + own.size + numbers.size
        },
      }
    },
  }
}

/** The deck in force, and the others of the tenant as they are read. */
function decksOf(
  times: DeckTimes,
  rates: Iterable<RatePage>,
  pages: (deckId: number) => Iterable<RatePage>,
  dialling: Dialling,
) {
  const inForce = buildDeck(activeRates(rates), dialling)
  const others = new Map<number, Deck>()
  const keep = (deckId: number, rates: Iterable<RatePage>): Deck => {
    const deck = buildDeck(activeRates(rates), dialling)
    others.set(deckId, deck)
    return deck
  }
  return {
    keep,
    size: () => [...others.values()].reduce((sum, { size }) => sum + size, inForce.size),
    unread: (period: () => Period) =>
      (times.length === 0 ? [] : asideWithin(times, period())).map(({ id }) => id).filter(id => !others.has(id)),
    deckAt: (moment: Timestamp): Deck | null => {
      const time = deckTimeAt(times, moment)
      if (!time || time.state === 'in force') return inForce
      return time.state === 'forgotten' ? null : (others.get(time.id) ?? keep(time.id, pages(time.id)))
    },
  }
}

/** All of them, read in steps that leave the event loop free. */
async function inTurns(pages: Iterable<RatePage>): Promise<readonly RatePage[]> {
  const all: RatePage[] = []
  for (const page of pages) {
    all.push(page)
    await nextTurn()
  }
  return all
}

function* activeRates(pages: Iterable<RatePage>) {
  for (const page of pages)
    for (const [, id, prefix, pricePerMinute, increment] of page)
      yield { id, prefix, pricePerMinute, increment, active: true }
}
