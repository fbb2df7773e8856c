import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRecord } from '../../adapters/pbx/records.ts'
import type { SwitchRecord } from '../../core/ports/calls.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { manualClock } from '../support/clock.ts'
import { insert } from '../support/data/rows.ts'
import { execute, refuse } from '../support/data/stored.ts'
import { asteriskRow, inWorld, rules, stored } from '../support/data/switch.ts'
import { onCitus, opened } from '../support/storages.ts'

describe('a change of rates', () => {
  test(
    'by another process is seen by the next call, and all of it at once',
    inWorld(async world => {
      const other = await opened(world.db, manualClock())
      try {
        const prefixes = ['3805', '38050', '380501']
        for (const [turn, prefix] of prefixes.entries()) {
          await insert(other.records, 'rates', { tenant_id: world.tenantId, prefix })
          assert.equal((await stored(world, { id: `${turn}` }))?.prefix, prefix)
        }
        const [changed, deleted] = [
          "UPDATE rates SET cost_per_minute = 600 WHERE prefix LIKE '380%'",
          "DELETE FROM rates WHERE prefix = '380501'",
        ]
        await execute(other, `BEGIN; ${changed}; ${deleted}; COMMIT`)
        const call = await stored(world, { id: 'after' })
        assert.deepEqual([call?.prefix, call?.cost], ['38050', 1200])
        await other.records.update(tenants, world.tenantId, { settings: '{"international_prefix":"011"}' })
        assert.equal((await stored(world, { id: 'american' }))?.outcome, 'no match')
        assert.equal((await stored(world, { id: 'again', to: '01138050111' }))?.prefix, '38050')
        const { id: elsewhere } = await insert(other.records, 'tenants')
        await execute(other, `UPDATE rates SET tenant_id = ${elsewhere} WHERE prefix = '38050'`)
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
    'that is undone rates no call',
    { skip: onCitus && 'a spread table has no triggers' },
    inWorld(async world => {
      const { calls } = world.storage
      const feed = { name: '-', rules: rules() }
      const one = (id: string): SwitchRecord[] => [readRecord('asterisk-csv', asteriskRow({ id }).trimEnd())]
      const allow = await refuse(world.storage, 'cdr_ratings')
      await assert.rejects(calls.store(feed, one('1'), { mark: '1', position: 10 }), /refused/)
      await allow()
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
