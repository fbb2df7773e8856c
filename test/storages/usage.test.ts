import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { ingest } from '../../adapters/pbx/ingest.ts'
import type { UsageGroup } from '../../core/ports/calls.ts'
import { daysOfMonth } from '../../core/rating/period.ts'
import { insert } from '../support/data/rows.ts'
import { execute } from '../support/data/stored.ts'
import { asteriskRow, inWorld, rules, type SwitchWorld } from '../support/data/switch.ts'

const usage = ({ storage, tenantId }: SwitchWorld, by: UsageGroup | null, zone = 'Europe/Kyiv', month = '2026-10') =>
  storage.calls.usage(tenantId, daysOfMonth(month, zone), by)

describe('the usage of a month', () => {
  const ingested = async ({ storage }: SwitchWorld, ...rows: string[]): Promise<void> => {
    const feed = { name: '-', rules: rules() }
    await ingest(Readable.from([Buffer.from(rows.join(''))]), { feed, format: 'auto' }, storage.calls)
  }

  test(
    'counts them by the deck that was in force when they started, and names what is gone from the rates by that',
    inWorld(async world => {
      const { storage, tenantId: tenant_id } = world
      await insert(storage.records, 'rates', { tenant_id, prefix: '38050', destination: 'Ukraine mobile' })
      await execute(
        storage,
        `INSERT INTO decks (id, tenant_id, effective_at, state, file, rates, created_at) VALUES (1, ${tenant_id}, '0000-01-01T00:00:00.000000Z', 'past', 'a', 1, ''),
        (2, ${tenant_id}, '2026-02-10T00:00:00.000000Z', 'in force', 'b', 1, '');
        INSERT INTO deck_rates (deck_id, seq, rate_id, prefix, destination, cost_per_minute, billing_increment, status)
          VALUES (1, 1, 77, '3805', 'Ukraine, all of it', 1, 1, 'active')`,
      )
      await ingested(
        world,
        asteriskRow({ id: '1', seconds: 0, start: '2026-02-09 12:00:00' }),
        asteriskRow({ id: '2', seconds: 65, start: '2026-02-09 12:00:00' }),
        asteriskRow({ id: '3', seconds: 0, start: '2026-02-10 12:00:00' }),
      )
      const named = async () =>
        new Map(
          (await usage(world, 'destination', 'UTC', '2026-02')).map(({ group, calls, answered }) => [
            group,
            [calls, answered],
          ]),
        )
      assert.deepEqual(
        await named(),
        new Map([
          ['Ukraine, all of it', [2, 1]],
          ['Ukraine mobile', [1, 0]],
        ]),
      )
      await execute(storage, "UPDATE decks SET state = 'forgotten' WHERE id = 1; DELETE FROM deck_rates")
      assert.deepEqual(
        await named(),
        new Map([
          ['3805', [1, 1]],
          ['Ukraine mobile', [2, 0]],
        ]),
      )
    }),
  )

  test(
    'names the destination of a call whose rate is known by its prefix alone by the rate of that prefix',
    inWorld(async world => {
      await ingested(world, asteriskRow({ id: '1' }), asteriskRow({ id: '2', seconds: 0 }))
      await execute(world.storage, 'UPDATE cdr_ratings SET rate_id = NULL')
      const lines = await usage(world, 'destination')
      assert.deepEqual(
        lines.map(({ group, calls, answered }) => [group, calls, answered]),
        [['Ukraine', 2, 1]],
      )
    }),
  )
})
