import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRecord } from '../../../../adapters/pbx/records.ts'
import { sqliteOf } from '../../../support/data/stored.ts'
import { asteriskRow, inWorld, rules } from '../../../support/data/switch.ts'

describe('a change of rates', () => {
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
})
