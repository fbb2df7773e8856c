import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { systemClock } from '../../../adapters/system/clock.ts'
import { addSeconds, type Timestamp } from '../../../core/dates.ts'
import { outcomeOf, spawnProgram, unbuilt, workplace } from '../../support/cli/cli.ts'
import { type DeckRow, replaceDeck } from '../../support/cli/replace-deck.ts'
import { startDaemon } from '../../support/daemon.ts'
import { inShort, later, storedRates } from '../../support/data/decks.ts'
import { insert } from '../../support/data/rows.ts'
import { columnOf } from '../../support/data/stored.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { databaseAt } from '../../support/storages.ts'

const folder = temporaryFolder()
after(folder.remove)

/** A database into which these decks of a tenant were imported long ago. */
const withDecks = (db: string, ...decks: readonly [DeckRow[], Timestamp | null][]): Promise<void> =>
  later(db, '2020-01-01T00:00:00.000000Z', async storage => {
    const { id } = await insert(storage.records, 'tenants', { slug: 'acme' })
    for (const [rows, effectiveAt] of decks) await replaceDeck(storage, id, rows, effectiveAt)
  })

const now = (): Timestamp => systemClock().now()
const looking = <T>(path: string, look: Parameters<typeof later<T>>[2]): Promise<T> => later(path, now(), look)

const appliedIn = (path: string): Promise<unknown[]> =>
  looking(path, async storage => {
    const found = await columnOf(storage, `SELECT changes FROM audit WHERE action = 'apply' ORDER BY id`)
    return found.map(text => JSON.parse(String(text)).deck)
  })

describe('the daemon', { timeout: 60_000, skip: unbuilt }, () => {
  it('puts decks that became due while it was off in force in order', async () => {
    const path = await databaseAt(folder.path, 'off.db')
    await withDecks(
      path,
      [[['380', 1]], null],
      [[['380', 3]], '2020-03-01T00:00:00.000000Z'],
      [[['380', 2]], '2020-02-01T00:00:00.000000Z'],
    )
    const daemon = await startDaemon({ TRUNKLINE_DB: path })
    const [first, second] = [await daemon.untilLogged('"deck":3'), await daemon.untilLogged('"deck":2')]
    for (const line of [first, second]) assert.equal(JSON.parse(line).msg, 'a deck took effect')
    await daemon.stop()
    assert.deepEqual(await appliedIn(path), [3, 2])
    assert.deepEqual(await looking(path, async storage => inShort(await storedRates(storage, 1))), ['1 380 3'])
  })

  it('puts a deck in force at its moment while it runs', async () => {
    const path = await databaseAt(folder.path, 'running.db')
    await withDecks(path, [[['380', 1]], null])
    const daemon = await startDaemon({ TRUNKLINE_DB: path })
    const moment = addSeconds(now(), 2)
    await looking(path, storage => replaceDeck(storage, 1, [['380', 2]], moment))
    const { time, effective_at } = JSON.parse(await daemon.untilLogged('a deck took effect'))
    assert.equal(effective_at, moment)
    assert.ok(Date.parse(time) >= Date.parse(moment), `${time} is before ${moment}`)
    await daemon.stop()
    assert.deepEqual(await looking(path, async storage => inShort(await storedRates(storage, 1))), ['1 380 2'])
  })

  it('and programs started beside it put a deck in force once', async () => {
    const place = workplace()
    await place.ready
    const large = (price: number): DeckRow[] =>
      Array.from({ length: 40_000 }, (_, n): DeckRow => [String(100_000 + n), price])
    await withDecks(place.db, [large(1), null], [large(2), '2020-02-01T00:00:00.000000Z'])
    const daemon = await startDaemon({ TRUNKLINE_DB: place.db })
    const listing = Array.from({ length: 3 }, () =>
      outcomeOf(spawnProgram(place, ['rate', 'list', '--limit', '1', '--output', 'json'], { stdio: 'pipe' })),
    )
    const found = await Promise.all(listing)
    for (const { code, stdout, stderr } of found) {
      assert.equal(code, 0, stderr)
      assert.equal(JSON.parse(stdout)[0].cost_per_minute, '0.0002')
    }
    assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200)
    await daemon.stop()
    assert.deepEqual(await appliedIn(place.db), [2])
    place.remove()
  })

  it('deletes the rates of decks replaced longer ago than the settings allow', async () => {
    const path = await databaseAt(folder.path, 'forgetting.db')
    await withDecks(path, [[['380', 1]], null], [[['380', 2]], '2020-02-01T00:00:00.000000Z'])
    await later(path, '2020-02-02T00:00:00.000000Z', ({ decks }) => decks.putInForce())
    const daemon = await startDaemon({ TRUNKLINE_DB: path, TRUNKLINE_AUDIT_DAYS: '0' })
    await daemon.untilLogged('forgot old decks')
    await daemon.stop()
    const states = await looking(path, async ({ decks }) => (await decks.list({ all: true })).map(({ state }) => state))
    assert.deepEqual(states, ['forgotten', 'in force'])
  })
})
