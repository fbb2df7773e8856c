import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecord } from '../../../../adapters/pbx/records.ts'
import { catalogs } from '../../../../adapters/sqlite/calls/catalogs.ts'
import { FOREVER } from '../../../../core/rating/period.ts'
import { rates } from '../../../../core/resources/rates.ts'
import { insert } from '../../../support/data/rows.ts'
import { sqliteOf } from '../../../support/data/stored.ts'
import { asteriskRow, inWorld, rules, type SwitchWorld } from '../../../support/data/switch.ts'

/** Tenants of three rates each. */
async function tenantsOf({ storage }: SwitchWorld, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < count; n++) {
    const { id: tenant_id } = await insert(storage.records, 'tenants', { slug: `t${n}` })
    for (const prefix of ['1', '2', '380']) await insert(storage.records, 'rates', { tenant_id, prefix })
    ids.push(tenant_id)
  }
  return ids
}

test(
  'the catalogs used last are kept, as many as their rates allow',
  inWorld(async world => {
    const [a = 0, b = 0, c = 0] = await tenantsOf(world, 3)
    const known = catalogs(sqliteOf(world.storage).connection, 6)
    const [ofA, ofB] = [known.of(a), known.of(b)]
    assert.equal(known.of(a), ofA)
    known.of(c)
    assert.equal(known.of(a), ofA, 'it was used later than the other')
    assert.notEqual(known.of(b), ofB)
    assert.ok(ofB && known.isCurrent(ofB), 'let go is not changed')
  }),
)

test(
  'one catalog larger than what is kept in all is kept while no other is asked for',
  inWorld(async world => {
    const [a = 0, b = 0] = await tenantsOf(world, 2)
    const known = catalogs(sqliteOf(world.storage).connection, 1)
    const ofA = known.of(a)
    assert.equal(known.of(a), ofA)
    known.of(b)
    assert.notEqual(known.of(a), ofA)
  }),
)

test(
  'the catalogs of one batch are all kept until the next',
  inWorld(async world => {
    const ids = await tenantsOf(world, 5)
    const known = catalogs(sqliteOf(world.storage).connection, 6)
    await known.ready(new Set(ids), () => FOREVER)
    const first = ids.map(id => known.of(id))
    assert.deepEqual(new Set(first).size, 5)
    for (const [n, id] of ids.entries()) assert.equal(known.of(id), first[n])
    await known.ready(new Set([world.tenantId]), () => FOREVER)
    assert.notEqual(known.of(ids[0] ?? 0), first[0])
  }),
)

test(
  'batches that need the same catalog at once share it',
  inWorld(async world => {
    const [id = 0] = await tenantsOf(world, 1)
    const known = catalogs(sqliteOf(world.storage).connection)
    const read = async () => {
      const isReady = await known.ready(new Set([id]), () => FOREVER)
      assert.ok(isReady())
      return known.of(id)
    }
    const [first, second] = await Promise.all([read(), read()])
    assert.ok(first && first === second)
  }),
)

test(
  'a catalog is not ready where it has changed since, or while it was read',
  inWorld(async world => {
    const [id = 0] = await tenantsOf(world, 1)
    const known = catalogs(sqliteOf(world.storage).connection)
    const change = () =>
      sqliteOf(world.storage).connection.db.exec('UPDATE rates SET cost_per_minute = cost_per_minute + 1')
    const isReady = await known.ready(new Set([id]), () => FOREVER)
    change()
    assert.ok(!isReady())
    const reading = known.ready(new Set([id]), () => FOREVER)
    change()
    assert.ok(!(await reading)())
    assert.ok((await known.ready(new Set([id]), () => FOREVER))())
  }),
)

test(
  'a catalog is current until something in it has changed, or everything is forgotten',
  inWorld(async world => {
    const known = catalogs(sqliteOf(world.storage).connection)
    const before = known.of(world.tenantId)
    await world.storage.records.update(rates, world.rateId, { cost_per_minute: 99 })
    assert.ok(before && !known.isCurrent(before))
    const after = known.of(world.tenantId)
    assert.ok(after && known.isCurrent(after))
    known.forget()
    assert.ok(!known.isCurrent(after))
    assert.notEqual(known.of(world.tenantId), after)
  }),
)

test(
  'a batch sees that its tenant came or went between rating and storing',
  inWorld(async world => {
    const { calls, writer, connection } = sqliteOf(world.storage)
    const feed = { name: '-', rules: rules() }
    const record = readRecord('asterisk-csv', asteriskRow({ accountcode: 'late' }).trimEnd())
    const renamed = writer.write(() => connection.db.exec(`UPDATE tenants SET slug = 'late'`))
    const [, counts] = await Promise.all([renamed, calls.store(feed, [record], null)])
    assert.equal(counts.stored, 1)
    const gone = writer.write(() => connection.db.exec(`UPDATE tenants SET slug = 'acme'`))
    const other = readRecord('asterisk-csv', asteriskRow({ accountcode: 'late', id: '2' }).trimEnd())
    const [, next] = await Promise.all([gone, calls.store(feed, [other], null)])
    assert.deepEqual([next.stored, next.quarantined], [0, 1])
  }),
)

test(
  'a cached catalog is given until something changes',
  inWorld(async world => {
    const [a = 0] = await tenantsOf(world, 1)
    const known = catalogs(sqliteOf(world.storage).connection)
    assert.equal(known.cached(a, FOREVER), null)
    const catalog = known.of(a)
    assert.equal(known.cached(a, FOREVER), catalog)
    await insert(world.storage.records, 'rates', { tenant_id: a, prefix: '49' })
    assert.equal(known.cached(a, FOREVER), null)
  }),
)
