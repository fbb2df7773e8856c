import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalogs } from '../../../../adapters/sqlite/calls/catalogs.ts'
import type { Connection } from '../../../../adapters/sqlite/database/database.ts'
import { replaceDeck } from '../../../support/cli/replace-deck.ts'
import { later } from '../../../support/data/decks.ts'
import { insert } from '../../../support/data/rows.ts'
import { sqliteOf } from '../../../support/data/stored.ts'
import { inWorld } from '../../../support/data/switch.ts'

// The world's clock shows noon of 1 March 2026; 380 costs 0.0123 a minute there, by 60 seconds.
const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T00:00:00.000000Z`

/** A connection that counts the reads of rates that are kept aside. */
function countingReads(connection: Connection): { connection: Connection; reads: () => number } {
  let count = 0
  const rows: Connection['rows'] = sql => {
    const statement = connection.rows(sql)
    if (!sql.includes('deck_rates')) return statement as never
    const all = (...given: unknown[]): unknown[] => {
      count++
      return statement.all(...given)
    }
    return { all } as never
  }
  return { connection: { ...connection, rows }, reads: () => count }
}

describe('the catalog of a tenant', () => {
  it(
    'reads a deck of another time once, and gets it ready where the calls of a batch need it',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 500]])
      await replaceDeck(storage, tenantId, [['380', 600]], day(2))
      const { connection, reads } = countingReads(sqliteOf(storage).connection)
      const known = catalogs(connection)
      await known.ready(new Set([tenantId]), () => ({ from: day(2), to: day(3) }))
      assert.equal(reads(), 1)
      const catalog = known.of(tenantId)
      const priceAt = (moment: string) =>
        catalog?.deckAt(moment)?.match({ kind: 'plain', digits: '380441' })?.pricePerMinute
      assert.deepEqual([day(2), day(3), day(1), day(1)].map(priceAt), [600, 600, 123, 123])
      assert.equal(reads(), 2)
    }),
  )

  it(
    'is another as soon as a deck is brought in, put in force, cancelled or forgotten',
    inWorld(async world => {
      const { storage, tenantId } = world
      const known = catalogs(sqliteOf(storage).connection)
      const isNew = async (act: () => Promise<unknown>): Promise<boolean> => {
        const before = known.of(tenantId)
        await act()
        return before !== null && !known.isCurrent(before)
      }
      assert.ok(await isNew(() => replaceDeck(storage, tenantId, [['380', 1]], day(2))))
      assert.ok(await isNew(() => storage.decks.cancel(1)))
      assert.ok(await isNew(() => replaceDeck(storage, tenantId, [['380', 1]], day(2))))
      assert.ok(await isNew(() => later(world.db, day(3), ({ decks }) => decks.putInForce())))
      assert.ok(await isNew(() => storage.decks.forget(day(9))))
      await insert(storage.records, 'tenants')
      assert.equal(await isNew(() => storage.decks.forget(day(9))), false)
    }),
  )
})
