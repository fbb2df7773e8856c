import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readRecord } from '../../../adapters/pbx/records.ts'
import { replaceDeck } from '../../support/cli/replace-deck.ts'
import { sqliteOf } from '../../support/data/stored.ts'
import { asteriskRow, inWorld, rules, type SwitchWorld } from '../../support/data/switch.ts'
import { longestHold } from '../../support/event-loop.ts'

const RATES = 500_000
/**
 * Milliseconds of processor time in one turn: 20 to 50 with the garbage collector's threads; all at once would take
 * 400.
 */
const HELD = 120

const feed = { name: '-', rules: rules() }
let calls = 0
const START = '2026-10-01 12:00:00'
const call = (to: string) =>
  readRecord('asterisk-csv', asteriskRow({ id: `${calls++}`, to, start: START, seconds: 60 }).trimEnd())

function fill({ storage, tenantId }: SwitchWorld, count = RATES): void {
  sqliteOf(storage)
    .connection.db.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 300000 UNION ALL SELECT i + 1 FROM n WHERE i < ${300_000 + count - 1})
       INSERT INTO rates (tenant_id, prefix, destination, cost_per_minute, billing_increment, status, created_at, updated_at)
       SELECT ?, i * 10 + i % 7, 'x', i % 9999, 60, 'active', '', '' FROM n`,
    )
    .run(tenantId)
}

const costs = ({ storage }: SwitchWorld): number[] =>
  sqliteOf(storage).connection.value<[], number>('SELECT cost FROM cdrs ORDER BY id').all()

const store = ({ storage }: SwitchWorld, ...to: readonly string[]) => storage.calls.store(feed, to.map(call), null)

test(
  'the first call by a large deck, and that after a change of it, hold the event loop for a moment only',
  { timeout: 120_000 },
  inWorld(async world => {
    fill(world)
    const { storage, tenantId } = world
    const holds = [await longestHold(() => store(world, '+3000012345'))]
    sqliteOf(storage).connection.db.exec(`UPDATE rates SET cost_per_minute = 77 WHERE prefix = '3000045'`)
    holds.push(await longestHold(() => store(world, '+3000045345')))
    sqliteOf(storage).connection.db.exec(`UPDATE rates SET cost_per_minute = 78 WHERE prefix = '3000045'`)
    holds.push(await longestHold(() => storage.calls.catalog(tenantId, '2026-01-01T00:00:00.000000Z')))
    assert.deepEqual(costs(world), [31, 77])
    assert.ok(Math.max(...holds) < HELD, `${holds} ms`)
  }),
)

test(
  'a large deck that another has replaced is read for calls of before and after without holding the event loop',
  { timeout: 120_000 },
  inWorld(async world => {
    fill(world)
    const { storage, tenantId } = world
    await replaceDeck(storage, tenantId, [['30', 55]], '2026-10-02T00:00:00.000000Z')
    const hold = await longestHold(() => store(world, '+3000012345'))
    assert.deepEqual(costs(world), [31])
    assert.ok(hold < HELD, `${hold} ms`)
  }),
)

test(
  'calls are rated by a rate that changes while the deck is read',
  inWorld(async world => {
    fill(world, 20_000)
    const { storage } = world
    const stored = Promise.all([store(world, '+3000012345'), store(world, '+3000012346')])
    for (let turn = 0; turn < 3; turn++) await nextTurn()
    await sqliteOf(storage).writer.write(() =>
      sqliteOf(storage).connection.db.exec(`UPDATE rates SET cost_per_minute = 77 WHERE prefix = '3000012'`),
    )
    await stored
    assert.deepEqual(costs(world), [77, 77])
  }),
)
