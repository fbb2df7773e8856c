import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog } from '../../../core/calls/record-call.ts'
import type { Dialling } from '../../../core/dialling/read-number.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { AppError } from '../../../core/errors.ts'
import { parseJson } from '../../../core/json.ts'
import { type Deck, deckBuilder } from '../../../core/rating/deck.ts'
import { asideWithin, deckTimeAt } from '../../../core/rating/deck-times.ts'
import type { Period } from '../../../core/rating/period.ts'
import type { Steps } from '../../../core/steps.ts'
import { idOf, keyPages } from '../database/key-pages.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import { IS_ACTIVE } from './call-ratings.ts'
import { timesOf } from './deck-steps.ts'

/** What rates tenants' calls, cached while the revisions stay the same. */
export interface Catalogs {
  /**
   * The catalogs of these tenants with the decks of that period, in a transaction with one snapshot or with locked
   * revisions (`isLocked`); null for an unknown tenant.
   */
  of(
    within: Queries,
    tenantIds: readonly number[],
    period: Period,
    isLocked: boolean,
  ): Promise<ReadonlyMap<number, Catalog | null>>
}

interface Kept {
  readonly revision: number
  readonly catalog: Catalog
  /** Reads the decks of the period that are not cached yet. */
  complete(within: Queries, period: Period): Promise<void>
  size(): number
}

/** Rates and numbers read at once, and the most that are cached: some 300 MB. */
const PAGE = 10_000
const MOST = 1_000_000

export function catalogs(): Catalogs {
  const kept = new Map<number, Kept>()
  const use = (tenantId: number, used: Kept, present: readonly number[]): void => {
    kept.delete(tenantId)
    let size = used.size()
    for (const [other, { size: of }] of [...kept].reverse()) {
      size += of()
      if (size > MOST && !present.includes(other)) kept.delete(other)
    }
    kept.set(tenantId, used)
  }
  return {
    of: async (within, tenantIds, period, isLocked) => {
      const revisions = await revisionsOf(within, tenantIds, isLocked)
      const found = new Map<number, Catalog | null>()
      for (const tenantId of tenantIds) {
        const revision = revisions.get(tenantId) ?? 0
        const cached = kept.get(tenantId)
        const present = cached?.revision === revision ? cached : await read(within, tenantId, revision)
        await present?.complete(within, period)
        if (present) use(tenantId, present, tenantIds)
        found.set(tenantId, present?.catalog ?? null)
      }
      return found
    },
  }
}

/** With `isLocked`, changes to what rates calls wait until the transaction ends. */
async function revisionsOf(
  within: Queries,
  tenantIds: readonly number[],
  isLocked: boolean,
): Promise<ReadonlyMap<number, number>> {
  const rows = await within.rows<{ tenant_id: number; revision: number }>(
    sql`SELECT tenant_id, revision FROM catalog_revisions WHERE tenant_id = ANY(${tenantIds}) ORDER BY tenant_id
      ${raw(isLocked ? 'FOR SHARE' : '')}`,
  )
  return new Map(rows.map(({ tenant_id, revision }) => [tenant_id, revision]))
}

async function read(within: Queries, tenantId: number, revision: number): Promise<Kept | null> {
  const [settings] = await within.rows<{ settings: string | null }>(
    sql`SELECT settings FROM tenants WHERE id = ${tenantId}`,
  )
  if (!settings) return null
  const dialling = diallingOf(settings.settings === null ? null : parseJson(settings.settings))
  const times = await timesOf(within, tenantId)
  const inForce = await deckIn(within, dialling, 'id', sql`rates WHERE tenant_id = ${tenantId}`)
  const others = new Map<number, Deck>()
  const extensions = new Map<string, number>()
  for await (const { id, number } of numbersIn(within, 'extensions', 'extension_number', tenantId))
    extensions.set(number, id)
  const dids = new Set<string>()
  for await (const { number } of numbersIn(within, 'dids', 'number', tenantId)) dids.add(dialling.read(number).digits)
  dids.delete('')
  const deckAt = (moment: string): Deck | null => {
    const time = deckTimeAt(times, moment)
    if (!time || time.state === 'in force') return inForce
    if (time.state === 'forgotten') return null
    const other = others.get(time.id)
    if (!other) throw new AppError('internal', 'A deck was asked for that was not read.')
    return other
  }
  return {
    revision,
    catalog: { tenantId, dialling, deckAt, extensions, dids },
    complete: async (queries, period) => {
      for (const { id } of times.length === 0 ? [] : asideWithin(times, period))
        if (!others.has(id))
          others.set(id, await deckIn(queries, dialling, 'rate_id', sql`deck_rates WHERE deck_id = ${id}`, 'seq'))
    },
    size: () => [...others.values()].reduce((sum, { size }) => sum + size, inForce.size + extensions.size + dids.size),
  }
}

interface RateRow {
  readonly place: number
  readonly id: number | null
  readonly prefix: string
  readonly pricePerMinute: number
  readonly increment: number
}

/** The active rates of a relation, ordered so that the newer of two wins. */
async function deckIn(within: Queries, dialling: Dialling, id: string, from: Sql, order = id): Promise<Deck> {
  const builder = deckBuilder(dialling)
  const columns = raw(
    `${order} AS place, ${id} AS id, prefix, cost_per_minute AS "pricePerMinute", billing_increment AS increment`,
  )
  const after = (place: number) => sql`SELECT ${columns} FROM ${from} AND ${raw(IS_ACTIVE)}
    AND ${raw(order)} > ${place} ORDER BY ${raw(order)}`
  for await (const rows of keyPages<RateRow>(within, PAGE, ({ place }) => place, after))
    builder.add(rows.map(({ place: _, ...rate }) => ({ ...rate, active: true })))
  return inTurns(builder.deck())
}

interface NumberRow {
  readonly id: number
  readonly number: string
}

async function* numbersIn(within: Queries, table: string, column: string, tenantId: number): AsyncIterable<NumberRow> {
  const after = (id: number) =>
    sql`SELECT id, ${raw(column)} AS number FROM ${raw(table)} WHERE tenant_id = ${tenantId} AND id > ${id} ORDER BY id`
  for await (const rows of keyPages<NumberRow>(within, PAGE, idOf, after)) yield* rows
}

async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}
