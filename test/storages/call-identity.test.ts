import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { ingest } from '../../adapters/pbx/ingest.ts'
import { withPresentRules } from '../../bin/feeds.ts'
import type { FeedRules } from '../../core/calls/record-call.ts'
import { insert } from '../support/data/rows.ts'
import {
  asteriskRow,
  freeswitchJson,
  freeswitchRow,
  inWorld,
  ndjsonRow,
  replayed,
  rules,
  type SwitchWorld,
} from '../support/data/switch.ts'

/** The outcome of a text's records: how many are stored, known and quarantined. */
async function fate({ storage }: SwitchWorld, text: string, given: Partial<FeedRules> = {}): Promise<number[]> {
  const feed = { name: 'feed', rules: rules(given) }
  const counts = await ingest(Readable.from([Buffer.from(text)]), { feed, format: 'auto' }, storage.calls)
  return [counts.stored, counts.known, counts.quarantined]
}

const one = { id: '1', start: '2026-10-01 12:00:00' }
const another = { id: '1', start: '2026-10-01 12:00:07', to: '4930123456' }

describe('two calls with one id', () => {
  test(
    'of feeds of two tenants are both kept: the second waits in quarantine until its switch is named',
    inWorld(async world => {
      await insert(world.storage.records, 'tenants', { slug: 'other' })
      const text = [1, 2].map(n => ndjsonRow({ id: `${n}`, accountcode: '' })).join('')
      assert.deepEqual(await fate(world, text, { tenant: 'acme' }), [2, 0, 0])
      assert.deepEqual(await fate(world, text, { tenant: 'other' }), [0, 0, 2])
      const [waiting] = await world.quarantine()
      assert.equal(
        waiting?.reason,
        'another call, to 00380501112233 at 2026-10-01T12:00:00.000000Z, has its id "1": if this one is of another ' +
          'switch, name that by "switch" in the feed\'s settings, or by --switch',
      )
      const setting = { format: 'ndjson', path: 'feed', tenant: 'other', switch: 'second' } as const
      const calls = withPresentRules(world.storage.calls, [setting])
      assert.equal(await replayed(calls), 2)
      assert.equal((await world.calls()).length, 4)
      assert.equal(await calls.quarantineCount(), 0)
      assert.deepEqual(await fate(world, text, { tenant: 'other', switchName: 'second' }), [0, 2, 0])
    }),
  )
})

describe('one call', () => {
  test(
    'is one record, whether it came before its switch was named, after, or by hand without the name',
    inWorld(async world => {
      const named = { switchName: 'pbx-2' }
      assert.deepEqual(await fate(world, asteriskRow(one)), [1, 0, 0])
      assert.deepEqual(await fate(world, asteriskRow(one), named), [0, 1, 0])
      assert.deepEqual(await fate(world, asteriskRow(another), named), [1, 0, 0])
      assert.deepEqual(await fate(world, asteriskRow(another)), [0, 1, 0])
      assert.equal((await world.calls()).length, 2)
    }),
  )

  test(
    'is one record though one format shows its microseconds, or it is read by another zone',
    inWorld(async world => {
      const json = JSON.parse(freeswitchJson({ id: 'u' }))
      json.variables.start_uepoch = json.variables.start_uepoch.replace(/0{6}$/, '654321')
      assert.deepEqual(await fate(world, JSON.stringify(json)), [1, 0, 0])
      assert.deepEqual(await fate(world, freeswitchRow({ id: 'u' })), [0, 1, 0])
      assert.deepEqual(await fate(world, freeswitchRow({ id: 'u' }), { timezone: 'Asia/Kathmandu' }), [0, 1, 0])
    }),
  )
})
