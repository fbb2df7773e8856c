import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { ingest } from '../../adapters/pbx/ingest.ts'
import { readRecord } from '../../adapters/pbx/records.ts'
import { withPresentRules } from '../../bin/feeds.ts'
import { insert } from '../support/data/rows.ts'
import { refuse } from '../support/data/stored.ts'
import {
  asteriskCustomRow,
  asteriskRow,
  freeswitchJson,
  freeswitchRow,
  inWorld,
  ndjsonRow,
  replayed,
  rules,
  type SwitchWorld,
  stored,
  taken,
} from '../support/data/switch.ts'
import { onCitus } from '../support/storages.ts'

describe('a completed call', () => {
  test(
    'is one record, whichever way and however often it comes',
    inWorld(async world => {
      const call = { id: '1700000000.5' }
      const file = world.file('Master.csv')
      writeFileSync(file, asteriskRow(call) + asteriskRow(call))
      const asked = { feed: { name: file, rules: rules() }, format: 'auto' } as const
      assert.equal((await ingest(file, asked, world.storage.calls)).stored, 1)
      assert.equal((await ingest(file, asked, world.storage.calls)).known, 2)
      assert.equal((await taken(world, asteriskCustomRow(call), { format: 'asterisk-custom' })).known, 1)
      const short = asteriskRow({ id: '1.9' }).replace(',"","1.9",7\n', '\n')
      assert.equal((await taken(world, short)).stored, 1, 'without a sequence')
      const custom = asteriskCustomRow({ id: '1.9' }).replace(',"7"\n', '\n')
      assert.equal((await taken(world, custom, { format: 'asterisk-custom' })).known, 1)
      const uuid = { id: '5f1c3a52' }
      assert.equal((await taken(world, freeswitchRow(uuid))).stored, 1)
      const folder = world.file('json')
      mkdirSync(folder)
      writeFileSync(join(folder, 'x.cdr.json'), freeswitchJson(uuid))
      assert.equal((await ingest(folder, asked, world.storage.calls)).known, 1)
      assert.equal((await taken(world, ndjsonRow(uuid))).stored, 1, 'another switch may give the same id')
      assert.equal((await world.calls()).length, 4)
    }),
  )

  test(
    'of each format is the same call',
    inWorld(async world => {
      const texts = [asteriskRow(), asteriskCustomRow({ id: '2.2' }), freeswitchRow(), freeswitchJson({ id: '3.3' })]
      for (const text of [...texts, ndjsonRow()]) assert.equal((await taken(world, text)).stored, 1, text)
      const [first, ...others] = (await world.calls()).map(
        ({ cost, started_at, direction, extension_id, bill_seconds }) => ({
          ...{ cost, started_at, direction, extension_id, bill_seconds },
        }),
      )
      assert.equal(others.length, 4)
      for (const other of others) assert.deepEqual(other, first)
    }),
  )

  test(
    'that comes in small pieces on standard input is recognised by its first whole line',
    inWorld(async world => {
      const pieces = [...(asteriskRow() + asteriskRow({ id: '1.2' })).matchAll(/.{1,10}/gs)].map(([piece]) => piece)
      const stream = Readable.from(pieces.map(piece => Buffer.from(piece)))
      const counts = await ingest(stream, { feed: { name: '-', rules: rules() }, format: 'auto' }, world.storage.calls)
      assert.equal(counts.stored, 2)
      assert.equal((await taken(world, '')).stored, 0)
      await assert.rejects(taken(world, 'no record\nat all\n'), /cannot be recognised/)
    }),
  )
})

describe('the direction of a call', () => {
  const directionOf = async (world: SwitchWorld, from: string, to: string) => {
    const id = `${from}-${to}`
    const call = await stored(world, { id, from, to })
    return [call?.direction, call?.extension_id === world.extensionId ? 'its extension' : 'none', call?.cost]
  }
  test(
    'is outbound from an extension, and inbound to a DID, however it is written, or to an extension',
    inWorld(async world => {
      assert.deepEqual(await directionOf(world, '101', '00380501112233'), ['outbound', 'its extension', 246])
      for (const did of ['+380441234567', '00380441234567', '380441234567'])
        assert.deepEqual(await directionOf(world, '+4930555', did), ['inbound', 'none', 0])
      assert.deepEqual(await directionOf(world, '+4930555', '101'), ['inbound', 'its extension', 0])
      assert.deepEqual(await directionOf(world, ' 101', ' 101'), ['inbound', 'its extension', 0])
      assert.deepEqual(await directionOf(world, '101', '+380441234567'), ['inbound', 'its extension', 0])
      assert.deepEqual(await directionOf(world, '+4930555', '00380501112233'), ['outbound', 'none', 246])
    }),
  )
  test(
    'is taken by the numbers of its tenant alone',
    inWorld(async world => {
      const { id: other } = await insert(world.storage.records, 'tenants', { slug: 'other' })
      await insert(world.storage.records, 'dids', { tenant_id: other, number: '+380507777777' })
      assert.deepEqual(await directionOf(world, '101', '380507777777'), ['outbound', 'its extension', 246])
    }),
  )
})

test(
  'the times of a switch are read by its own clock, summer time included',
  inWorld(async world => {
    const startOf = async (start: string) =>
      (await stored(world, { id: start, start }, { timezone: 'Europe/Kyiv' }))?.started_at
    assert.equal(await startOf('2026-07-01 12:00:00'), '2026-07-01T09:00:00.000000Z')
    assert.equal(await startOf('2026-12-01 12:00:00'), '2026-12-01T10:00:00.000000Z')
    assert.equal(await startOf('2026-10-25 02:59:59'), '2026-10-24T23:59:59.000000Z')
    assert.equal(await startOf('2026-10-25 04:00:00'), '2026-10-25T02:00:00.000000Z')
  }),
)

describe('the quarantine', () => {
  test(
    'tries a record by the settings that its feed has now',
    inWorld(async world => {
      await taken(world, asteriskRow({ accountcode: '' }), { timezone: 'UTC' })
      const setting = { format: 'asterisk-csv', path: '-', timezone: 'Europe/Kyiv', tenant: 'acme' } as const
      assert.equal(await replayed(withPresentRules(world.storage.calls, [setting])), 1)
      assert.equal((await world.calls())[0]?.started_at, '2026-10-01T09:00:00.000000Z')
    }),
  )

  test(
    'replays records together in one transaction: a call that came twice is stored once, and a failure stores nothing',
    { skip: onCitus && 'a spread table has no triggers' },
    inWorld(async world => {
      const { calls } = world.storage
      await taken(world, `${asteriskRow({ accountcode: '' })}${asteriskRow({ accountcode: '', id: '1.2' })}garbage\n`)
      await taken(world, asteriskCustomRow({ accountcode: '' }))
      const withTenant = withPresentRules(calls, [{ format: 'auto', path: '-', tenant: 'acme' }])
      const allow = await refuse(world.storage, 'cdrs', '(SELECT count(*) FROM cdrs) = 1')
      await assert.rejects(replayed(withTenant), /refused/)
      assert.deepEqual([(await world.calls()).length, await calls.quarantineCount()], [0, 4])
      await allow()
      assert.equal(await replayed(withTenant), 3)
      assert.deepEqual([(await world.calls()).length, await calls.quarantineCount()], [2, 1])
    }),
  )

  test(
    'takes broken rows of every kind, and never a row twice',
    inWorld(async world => {
      const broken = [
        asteriskRow().slice(0, 60),
        asteriskRow({ to: '' }).trimEnd(),
        asteriskRow({ to: '1'.repeat(51) }).trimEnd(),
        asteriskRow().replace('"ANSWERED"', '"MAYBE"').trimEnd(),
        asteriskRow().replace('2026-10-01 12:00:00', '2026-02-30 12:00:00').trimEnd(),
        asteriskRow().replace(',65,', ',-1,').trimEnd(),
      ]
      const feed = { name: '-', rules: rules() }
      const records = broken.map(row => readRecord('asterisk-csv', row))
      await world.storage.calls.store(feed, records, null)
      await world.storage.calls.store(feed, records, null)
      const found = await world.quarantine()
      assert.deepEqual(
        found.map(({ record }) => record),
        broken,
      )
      assert.deepEqual(
        found.map(({ reason }) => reason),
        [
          'the quotes of the row do not fit together: it may have been torn',
          'The destination number field is required.',
          'The destination number field must not be greater than 50 characters.',
          'column 15 (disposition) is not known: "MAYBE"',
          'column 10 (start) is no date and time: "2026-02-30 12:00:00"',
          'column 14 (billsec) is no number of seconds: "-1"',
        ],
      )
    }),
  )
})
