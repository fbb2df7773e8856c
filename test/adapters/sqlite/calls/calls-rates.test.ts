import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRecord } from '../../../../adapters/pbx/records.ts'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import type { SwitchRecord } from '../../../../core/ports/calls.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'
import { sqliteOf } from '../../../support/data/stored.ts'
import { asteriskRow, inWorld, rules, stored } from '../../../support/data/switch.ts'

describe('a change of rates', () => {
  test(
    'by another process is seen by the next call, and all of it at once',
    inWorld(async world => {
      const other = openStorage(world.path, { clock: manualClock() })
      try {
        const prefixes = ['3805', '38050', '380501']
        for (const [turn, prefix] of prefixes.entries()) {
          await insert(other.records, 'rates', { tenant_id: world.tenantId, prefix })
          assert.equal((await stored(world, { id: `${turn}` }))?.prefix, prefix)
        }
        const change = other.connection.db.transaction(() => {
          other.connection.db.exec(`UPDATE rates SET cost_per_minute = 600 WHERE prefix LIKE '380%'`)
          other.connection.db.exec(`DELETE FROM rates WHERE prefix = '380501'`)
        })
        change.immediate()
        const call = await stored(world, { id: 'after' })
        assert.deepEqual([call?.prefix, call?.cost], ['38050', 1200])
        await other.records.update(tenants, world.tenantId, { settings: '{"international_prefix":"011"}' })
        assert.equal((await stored(world, { id: 'american' }))?.outcome, 'no match')
        assert.equal((await stored(world, { id: 'again', to: '01138050111' }))?.prefix, '38050')
        const { id: elsewhere } = await insert(other.records, 'tenants')
        other.connection.db.exec(`UPDATE rates SET tenant_id = ${elsewhere} WHERE prefix = '38050'`)
        assert.equal((await stored(world, { id: 'moved', to: '01138050111' }))?.prefix, '3805')
        await insert(other.records, 'dids', { tenant_id: world.tenantId, number: '38050111' })
        assert.equal((await stored(world, { id: 'own', from: '999', to: '01138050111' }))?.direction, 'inbound')
        await other.records.update(tenants, world.tenantId, { settings: '{"dialling":{"country":"UA"}}' })
        assert.equal((await stored(world, { id: 'national', to: '0501112233' }))?.prefix, '3805')
      } finally {
        await other.close()
      }
    }),
  )

  test(
    'between the rating of a batch and its storing is seen by that batch',
    inWorld(async world => {
      const { calls, writer, connection } = sqliteOf(world.storage)
      const changed = writer.write(() => connection.db.exec('UPDATE rates SET cost_per_minute = 600'))
      const record = readRecord('asterisk-csv', asteriskRow().trimEnd())
      await Promise.all([changed, calls.store({ name: '-', rules: rules() }, [record], null)])
      assert.equal((await world.calls())[0]?.cost, 1200)
    }),
  )

  test(
    'makes a large deck be built in steps, and is seen when it comes between two of them',
    inWorld(async world => {
      const { calls, writer, connection } = sqliteOf(world.storage)
      const many = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
        INSERT INTO rates (tenant_id, prefix, destination, cost_per_minute, billing_increment, status, created_at, updated_at)
        SELECT ${world.tenantId}, '7' || i, 'Place', 1, 1, 'active', '', '' FROM n`
      await writer.write(() => connection.db.exec(many))
      let turns = 0
      let isOver = false
      const turn = (): void => {
        turns++
        if (turns === 2) writer.write(() => connection.db.exec('UPDATE rates SET cost_per_minute = 600'))
        if (!isOver) setImmediate(turn)
      }
      setImmediate(turn)
      await calls.store({ name: '-', rules: rules() }, [readRecord('asterisk-csv', asteriskRow().trimEnd())], null)
      isOver = true
      assert.ok(turns >= 30_000 / 5_000, `${turns} turns of the event loop`)
      assert.equal((await world.calls())[0]?.cost, 1200)
    }),
  )

  test(
    'that is undone rates no call',
    inWorld(async world => {
      const { calls, connection } = sqliteOf(world.storage)
      const feed = { name: '-', rules: rules() }
      const one = (id: string): SwitchRecord[] => [readRecord('asterisk-csv', asteriskRow({ id }).trimEnd())]
      connection.db.exec(
        `CREATE TRIGGER refuses BEFORE INSERT ON cdr_ratings BEGIN SELECT raise(ABORT, 'refused'); END`,
      )
      await assert.rejects(calls.store(feed, one('1'), { mark: '1', position: 10 }), /refused/)
      connection.db.exec('DROP TRIGGER refuses')
      assert.deepEqual(
        [await world.calls(), await calls.place('-')],
        [[], null],
        'neither the calls nor the place are stored',
      )
      await calls.store(feed, one('1'), { mark: '1', position: 10 })
      assert.deepEqual([(await world.calls()).length, await calls.place('-')], [1, { mark: '1', position: 10 }])
    }),
  )
})
