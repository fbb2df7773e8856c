import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog } from '../../../core/calls/record-call.ts'
import type { Timestamp } from '../../../core/dates.ts'
import type { Dialling } from '../../../core/dialling/read-number.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { parseJson } from '../../../core/json.ts'
import { type Deck, deckBuilder } from '../../../core/rating/deck.ts'
import { asideWithin, type DeckTimes, deckTimeAt } from '../../../core/rating/deck-times.ts'
import type { Period } from '../../../core/rating/period.ts'
import { atOnce, type Steps } from '../../../core/steps.ts'
import type { Connection } from '../database/database.ts'
import { keySetPages } from '../database/key-set.ts'
import { IS_ACTIVE } from './call-ratings.ts'
import { deckTimes } from './deck-times.ts'

export interface Catalogs {
  /**
   * Returns a tenant's catalog as of the present transaction; null if there is no such tenant. Caches the ones used
   * last until the tenant's revision shows a change by this process or another. Reads the decks of that period;
   * another one that is not in force on first use, which must be in the same transaction.
   */
  of(tenantId: number, period?: Period): Catalog | null
  /** Returns the cached catalog with the decks of that period; null if it is not cached, or if something has changed. */
  cached(tenantId: number, period: Period): Catalog | null
  /** True while nothing in it has changed. */
  isCurrent(catalog: Catalog): boolean
  /**
   * Loads the catalogs of one batch for `of`, with the decks of that period, in steps that leave the event loop free;
   * concurrent requests share the work. Keeps them until `ready` is called again. Returns a function that says whether
   * they still hold: not if something has changed meanwhile.
   */
  ready(tenantIds: ReadonlySet<number>, period: () => Period): Promise<() => boolean>
  /** Rebuilds each catalog on next use: after a rollback, the same revision may mean something else. */
  forget(): void
}

type RateRow = [seq: number, id: number | null, prefix: string, pricePerMinute: number, increment: number]
type RatePage = readonly RateRow[]
type NumberRow = [id: number, number: string]

/** A catalog with the number of its rates and numbers. */
interface Sized extends Catalog {
  readonly size: number
  /** Returns the decks of a period that are not read yet. */
  unread(period: () => Period): readonly number[]
  /** Reads one of those, in steps, and keeps it. */
  readAside(deckId: number): Steps<Deck>
}

/** Rates read at once: some milliseconds. */
const PAGE = 2_000
/** The most rates and numbers kept in all: some 300 MB. */
const MOST = 1_000_000

export function catalogs(connection: Connection, most = MOST): Catalogs {
  const { db } = connection
  const { revisionOf, read } = reader(connection)
  const kept = lastUsed(most)
  let revisions = new WeakMap<Catalog, string>()

  const isCurrent = (catalog: Catalog): boolean => revisions.get(catalog) === revisionOf(catalog.tenantId)
  const found = (tenantId: number): Sized | null => {
    const catalog = kept.get(tenantId)
    return catalog && isCurrent(catalog) ? catalog : null
  }
  const keep = (catalog: Sized | null, revision: string): Sized | null => {
    if (catalog) {
      revisions.set(catalog, revision)
      kept.use(catalog)
    }
    return catalog
  }
  // One snapshot of revision, settings, rates and numbers, whoever writes meanwhile.
  const current = db.transaction((tenantId: number, period?: Period): Catalog | null => {
    const catalog = keep(found(tenantId) ?? atOnce(read(tenantId)), revisionOf(tenantId))
    for (const deckId of catalog && period ? catalog.unread(() => period) : [])
      if (catalog) atOnce(catalog.readAside(deckId))
    return catalog
  })
  /** Keeps what it reads unless something has changed meanwhile. */
  const readInTurns = shared(async (tenantId: number): Promise<void> => {
    const since = revisionOf(tenantId)
    const catalog = await inTurns(read(tenantId))
    if (revisionOf(tenantId) === since) keep(catalog, since)
  })
  const isReady = (tenantId: number, period: () => Period): boolean => found(tenantId)?.unread(period).length === 0
  const makeReady = async (tenantId: number, period: () => Period): Promise<void> => {
    if (!found(tenantId)) await readInTurns(tenantId)
    const catalog = found(tenantId)
    for (const deckId of catalog?.unread(period) ?? []) if (catalog) await inTurns(catalog.readAside(deckId))
  }
  return {
    of: current,
    cached: (tenantId, period) => {
      const catalog = found(tenantId)
      if (!catalog || catalog.unread(() => period).length > 0) return null
      kept.touch(catalog)
      return catalog
    },
    isCurrent,
    ready: async (tenantIds, period) => {
      kept.hold(tenantIds)
      for (const tenantId of tenantIds) await makeReady(tenantId, period)
      return () => [...tenantIds].every(tenantId => isReady(tenantId, period))
    },
    forget: () => {
      revisions = new WeakMap()
      kept.clear()
    },
  }
}

/** Keeps the catalogs used last, up to a size of `most`, and those that are pinned. */
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
    /** The same for one that is kept, and has not grown. */
    touch: (catalog: Sized): void => {
      kept.delete(catalog.tenantId)
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
  const timesOf = deckTimes(connection)
  const price = 'prefix, cost_per_minute, billing_increment'
  const rates = pagesOf<RateRow>(
    connection,
    'id',
    `SELECT id, id, ${price} FROM rates WHERE tenant_id = ? AND ${IS_ACTIVE}`,
  )
  const asideRates = pagesOf<RateRow>(
    connection,
    'seq',
    `SELECT seq, rate_id, ${price} FROM deck_rates WHERE deck_id = ? AND ${IS_ACTIVE}`,
  )
  const extensions = pagesOf<NumberRow>(
    connection,
    'id',
    'SELECT id, extension_number FROM extensions WHERE tenant_id = ?',
  )
  const dids = pagesOf<NumberRow>(connection, 'id', 'SELECT id, number FROM dids WHERE tenant_id = ?')
  return {
    revisionOf: (tenantId: number): string => revision.get({ tenant: tenantId }) ?? '',
    *read(tenantId: number): Steps<Sized | null> {
      const settings = settingsOf.get(tenantId)
      if (!settings) return null
      const dialling = diallingOf(settings[0] === null ? null : parseJson(settings[0]))
      const inForce = yield* deckIn(rates(tenantId), dialling)
      const { size, ...decks } = decksOf(timesOf(tenantId), inForce, deckId => deckIn(asideRates(deckId), dialling))
      const own = new Map<string, number>()
      for (const page of extensions(tenantId)) {
        for (const [id, number] of page) own.set(number, id)
        yield
      }
      const numbers = new Set<string>()
      for (const page of dids(tenantId)) {
        for (const [, number] of page) numbers.add(dialling.read(number).digits)
        yield
      }
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

/** Returns a reader of the rows that a SELECT finds for one owner, in pages by their key, which is its first column. */
function pagesOf<R extends [key: number, ...unknown[]]>({ rows }: Connection, key: string, select: string) {
  const page = rows<[number, number], R>(`${select} AND ${key} > ? ORDER BY ${key} LIMIT ${PAGE}`)
  return (owner: number): Iterable<readonly R[]> => keySetPages<R>(PAGE, last => page.all(owner, last?.[0] ?? 0))
}

/** The deck in force, and the tenant's others once read. */
function decksOf(times: DeckTimes, inForce: Deck, read: (deckId: number) => Steps<Deck>) {
  const others = new Map<number, Deck>()
  function* readAside(deckId: number): Steps<Deck> {
    const deck = yield* read(deckId)
    others.set(deckId, deck)
    return deck
  }
  return {
    readAside,
    size: () => [...others.values()].reduce((sum, { size }) => sum + size, inForce.size),
    unread: (period: () => Period) =>
      (times.length === 0 ? [] : asideWithin(times, period())).map(({ id }) => id).filter(id => !others.has(id)),
    deckAt: (moment: Timestamp): Deck | null => {
      const time = deckTimeAt(times, moment)
      if (!time || time.state === 'in force') return inForce
      return time.state === 'forgotten' ? null : (others.get(time.id) ?? atOnce(readAside(time.id)))
    },
  }
}

function* deckIn(pages: Iterable<RatePage>, dialling: Dialling): Steps<Deck> {
  const builder = deckBuilder(dialling)
  for (const page of pages) {
    builder.add(
      page.map(([, id, prefix, pricePerMinute, increment]) => ({
        id,
        prefix,
        pricePerMinute,
        increment,
        active: true,
      })),
    )
    yield
  }
  return yield* builder.deck()
}

async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}

/** Makes concurrent requests for one id wait for the same work. */
function shared(work: (id: number) => Promise<void>): (id: number) => Promise<void> {
  const running = new Map<number, Promise<void>>()
  return id => {
    const present = running.get(id) ?? work(id).finally(() => running.delete(id))
    running.set(id, present)
    return present
  }
}
