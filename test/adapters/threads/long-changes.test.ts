import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changesOnThread } from '../../../bin/threaded.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { rates } from '../../../core/resources/rates.ts'
import { manualClock } from '../../support/clock.ts'
import { asteriskRow, inWorld, taken } from '../../support/data/switch.ts'

it(
  'calls are rated again on a thread, in the name of who asked for it',
  inWorld(async world => {
    const { storage, path, tenantId, rateId } = world
    await taken(world, asteriskRow())
    await storage.records.update(rates, rateId, { cost_per_minute: 1_000 })

    const calls: typeof storage.calls = { ...storage.calls, rerate: async () => assert.fail('on this thread') }
    const threaded = changesOnThread({ ...storage, calls }, { db: path, db_password_file: null }, manualClock())
    const by = { name: 'ann@example.com', origin: '192.0.2.1' }
    const query = { ...FOREVER, tenantId, unratedOnly: false }
    const tried = await threaded.calls.rerate(query, { dryRun: true, sample: 1 })
    assert.deepEqual([tried.changed, tried.changes.length], [1, 1])
    assert.equal((await threaded.calls.rerate(query, { dryRun: false, sample: 0, by })).changed, 1)
    await threaded.close()
    const noted = (
      await storage.audit
        .list({ ...FOREVER, action: 'rerate' })
        [Symbol.asyncIterator]()
        .next()
    ).value
    assert.deepEqual({ name: noted?.actor, origin: noted?.origin }, by)
  }),
)
