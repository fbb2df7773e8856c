import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advanceSearchIndexes, ensureSearchIndexes } from '../../../../adapters/sqlite/records/search/search-index.ts'
import { openStorage, type SqliteStorage } from '../../../../adapters/sqlite/storage.ts'
import type { PageQuery } from '../../../../core/ports/records.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { fold } from '../../../../core/search.ts'
import { manualClock } from '../../../support/clock.ts'
import { idsOf, insert, pagesOf, row } from '../../../support/data/rows.ts'

const dids = resourceNamed('dids')

/** Few characters, so that needles are found, including every one that is special to the database. */
const ALPHABET = [...'aAbBéÉßςΣσ%_"\'*?^\\-+0 .', '\0', '😀', '𐐀', '𐐨', 'İ', '\u0301', '\ufffe', '\u{10ffff}']
const words = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 8 })
const texts = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1 }) },
)
const described = fc.record({ number: texts, provider: texts, description: fc.option(texts) })

/** Half a surrogate pair cannot be stored as text. */
const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')

interface Did {
  readonly number: string
  readonly provider: string
  readonly description: string | null
}

/** Texts as the database stores them: without halves of surrogate pairs and field separators. */
const kept = ({ number, provider, description }: Did): Did => {
  const clean = (text: string): string => wellFormed(text).replaceAll('\u001f', '')
  return {
    number: clean(number),
    provider: clean(provider),
    description: description === null ? null : clean(description),
  }
}

/** The storage beside a plain map of its expected contents. */
async function world() {
  const storage = openStorage(':memory:', { clock: manualClock() })
  const tenant = await insert(storage.records, 'tenants')
  const model = new Map<number, Did>()
  return {
    storage,
    model,
    add: async (list: readonly Did[]) => {
      const stored = list.map(kept)
      const made = await Promise.all(
        stored.map(did => insert(storage.records, 'dids', { tenant_id: tenant.id, ...did })),
      )
      for (const [n, { id }] of made.entries()) model.set(id, stored[n] ?? assert.fail())
    },
    change: async (id: number, did: Did) => {
      model.set(id, kept(did))
      await storage.records.update(dids, id, { ...kept(did) })
    },
    remove: async (id: number) => {
      model.delete(id)
      await storage.records.remove(dids, id, { cascade: false })
    },
  }
}

type World = Awaited<ReturnType<typeof world>>

const step = (storage: SqliteStorage): Promise<boolean> =>
  storage.writer.write(() => advanceSearchIndexes(storage.connection))
const throughOf = (storage: SqliteStorage): unknown =>
  storage.connection.value(`SELECT through_id FROM search_indexes WHERE resource = 'dids'`).get()

/** The ids that a scan of every record finds. */
const naive = ({ model }: World, needle: string): number[] =>
  [...model]
    .filter(([, did]) =>
      [did.number, did.provider, did.description ?? ''].some(text => fold(text).includes(fold(needle))),
    )
    .map(([id]) => id)
    .toSorted((a, b) => b - a)

async function agree(of: World, needles: readonly string[], stage: string): Promise<void> {
  for (const needle of needles)
    assert.deepEqual(
      await idsOf(of.storage.records, 'dids', { search: needle }),
      naive(of, needle),
      `${stage}: ${JSON.stringify(needle)}`,
    )
}

/** Parts of stored texts in another case, and texts that may be nowhere. */
function needlesFrom(rows: readonly Did[], others: readonly string[], cuts: readonly number[]): string[] {
  const parts = cuts.map((cut, n) => {
    const did = rows[cut % rows.length]
    const characters = [...`${[did?.number, did?.provider, did?.description][n % 3] ?? ''}`]
    const from = cut % Math.max(1, characters.length)
    const part = characters.slice(from, from + 1 + (n % 6)).join('')
    return n % 2 ? part.toUpperCase() : part
  })
  const special = ['%', '_', '"', "'", '\0', 'a\0', '""', '😀', 'a"b', '-', '*', 'OR', 'NOT a', 'a*']
  return [...new Set([...parts, ...others, ...special])]
    .map(needle => wellFormed(needle).replaceAll('\u001f', ''))
    .filter(Boolean)
}

test('a search finds the same as a scan of all records, whatever the index contains', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(described, { minLength: 60, maxLength: 90 }),
      fc.array(described, { minLength: 20, maxLength: 20 }),
      fc.array(words, { minLength: 10, maxLength: 15 }),
      fc.array(fc.nat(), { minLength: 15, maxLength: 15 }),
      async (rows, later, others, cuts) => {
        const of = await world()
        const { storage } = of
        const many = (count: number): Did[] =>
          Array.from({ length: count }, (_, n) => rows[n % rows.length] ?? assert.fail())
        const needles = needlesFrom([...rows, ...later].map(kept), others, cuts)
        await of.add(many(700))
        await agree(of, needles, 'nothing indexed')
        await of.add(many(200))
        while (await step(storage));
        assert.equal(throughOf(storage), 400)
        await agree(of, needles, 'partly indexed')
        await of.add(many(300))
        while (await step(storage));
        assert.equal(throughOf(storage), 800)
        await agree(of, needles, 'all indexed')
        for (const [n, did] of later.entries()) {
          await of.change(1 + n * 50, did)
          await of.remove(2 + n * 50)
        }
        await agree(of, needles, 'changed behind the index')
        await of.add(later)
        const some = [...of.model.keys()].filter(id => id % 3 !== 0).slice(0, 520)
        await Promise.all(some.map((id, n) => of.change(id, later[n % later.length] ?? assert.fail())))
        await agree(of, needles, 'changed much')
        assert.ok(await step(storage))
        await agree(of, needles, 'changes indexed')
        await storage.close()
      },
    ),
    { numRuns: 5, endOnFailure: true },
  )
})

/** Creates this many calls in one statement; every one contains "common", and every thousandth "needle". */
function fill(storage: SqliteStorage, count: number): void {
  const { tenant_id, ...values } = row('cdrs', { caller_number: 'x', started_at: 'x' })
  const names = Object.keys(values).filter(name => !['caller_number', 'started_at'].includes(name))
  const sql = `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})
    INSERT INTO cdrs (tenant_id, caller_number, started_at, ${names.join()}, created_at, updated_at)
    SELECT ${tenant_id}, iif(n % 1000 = 0, 'a NEEDLE in common', 'Common ' || n), printf('2026-03-01T12:%02d:00.000000Z', (n * 7) % 60),
      ${names.map(() => '?').join()}, 'now', 'now' FROM n`
  storage.connection.db.prepare(sql).run(...names.map(name => values[name]))
}

const inOrder = (storage: SqliteStorage, condition: string): number[] =>
  storage.connection.value<[], number>(`SELECT id FROM cdrs WHERE ${condition} ORDER BY started_at DESC, id DESC`).all()

async function shown(storage: SqliteStorage, query: Pick<PageQuery, 'search' | 'limit'>): Promise<string> {
  const pages: string[] = []
  for await (const page of storage.records.list(resourceNamed('cdrs'), { view: 'list', ...query }))
    pages.push(page.json)
  return pages.filter(Boolean).join()
}

async function findsAll(storage: SqliteStorage, stage: string): Promise<void> {
  const { records } = storage
  const common = inOrder(storage, `caller_number LIKE '%common%'`)
  const rare = inOrder(storage, `caller_number LIKE '%needle%'`)
  assert.deepEqual(await idsOf(records, 'cdrs', { search: 'needle' }), rare, `${stage}: rare`)
  assert.deepEqual(await idsOf(records, 'cdrs', { search: 'COMMON' }), common, `${stage}: dense`)
  const first = await idsOf(records, 'cdrs', { search: 'common', limit: 50 })
  assert.deepEqual(first, common.slice(0, 50), `${stage}: first page`)
  const after = first.at(-1) ?? 0
  assert.deepEqual(await idsOf(records, 'cdrs', { search: 'common', limit: 50, after }), common.slice(50, 100), stage)
  const second = rare[1] ?? 0
  assert.deepEqual(await idsOf(records, 'cdrs', { search: 'needle', limit: 3, after: second }), rare.slice(2, 5), stage)
  assert.deepEqual(await idsOf(records, 'cdrs', { search: 'nowhere' }), [], stage)
  const whole = await shown(storage, { search: 'needle' })
  assert.equal(whole, await shown(storage, { search: 'needle', limit: 1_000 }), `${stage}: shown alike`)
  assert.match(whole, /"tenant":\{"id":1,/)
}

test('dense and rare needles are all found among many records, in the order of the list', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  await insert(storage.records, 'tenants')
  fill(storage, 21_000)
  await findsAll(storage, 'nothing indexed')
  for (let steps = 0; await step(storage); steps++) if (steps === 5) await findsAll(storage, 'partly indexed')
  await findsAll(storage, 'all indexed')
  storage.connection.db.exec(`UPDATE cdrs SET caller_number = 'COMMON needle' WHERE id % 500 = 1;
    UPDATE cdrs SET caller_number = 'nothing' WHERE id % 3 = 0; DELETE FROM cdrs WHERE id % 7 = 0`)
  await findsAll(storage, 'a third changed')
  while (await step(storage));
  await findsAll(storage, 'changes indexed')
  storage.connection.db.exec(`UPDATE cdrs SET caller_number = caller_number || ' again'`)
  fill(storage, 5_000)
  await findsAll(storage, 'all changed')
  while (await step(storage));
  await findsAll(storage, 'all indexed again')
  await storage.close()
})

test('a match behind thousands of records without the needle is on the first page', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  await insert(storage.records, 'tenants')
  const { id } = await insert(storage.records, 'cdrs', { caller_number: 'zq', started_at: '2020-01-01' })
  fill(storage, 9_000)
  const pages = await pagesOf(storage.records, 'cdrs', { search: 'ZQ' })
  const found = pages.map(({ list }) => list.map(call => call.id))
  assert.deepEqual(found, [[id]])
  await storage.close()
})

test('a search continues from page to page while records are added, changed and removed', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  await insert(storage.records, 'tenants')
  fill(storage, 3_000)
  const wanted = inOrder(storage, '1')
  const seen: number[] = []
  let pages = 0
  for await (const page of storage.records.list(resourceNamed('cdrs'), { view: 'plain', search: 'common' })) {
    for (const { id } of JSON.parse(`[${page.json}]`)) seen.push(id)
    if (++pages === 2) {
      fill(storage, 10)
      await storage.records.remove(resourceNamed('cdrs'), wanted.at(-1) ?? 0, { cascade: false })
    }
  }
  assert.equal(new Set(seen).size, seen.length)
  for (const id of wanted.slice(0, -1)) assert.ok(seen.includes(id))
  await storage.close()
})

test('indexed text before and after a NUL is found', async () => {
  const of = await world()
  const plain = { number: '+1', provider: 'plain', description: null }
  await of.add([{ number: 'before\0behind', provider: '\0second\0', description: 'third\0' }])
  await of.add(Array.from({ length: 600 }, () => plain))
  const needles = ['before', 'behind', 'second', 'third', 're\0be', '\0\0\0', 'plain', 'd\0']
  await agree(of, needles, 'nothing indexed')
  assert.ok(await step(of.storage))
  await agree(of, needles, 'all indexed')
  await of.storage.close()
})

test('an index over fields other than the declared ones is rebuilt', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  const { db } = storage.connection
  await insert(storage.records, 'tenants')
  fill(storage, 6_000)
  while (await step(storage));
  db.exec(`UPDATE search_indexes SET fields = 'caller_number' WHERE resource = 'cdrs'`)
  ensureSearchIndexes(storage.connection)
  assert.equal(storage.connection.value(`SELECT through_id FROM search_indexes WHERE resource = 'cdrs'`).get(), 0)
  await findsAll(storage, 'rebuilt')
  while (await step(storage));
  await findsAll(storage, 'indexed again')
  await storage.close()
})

test('a step of the index takes milliseconds, however long the texts are and however few their repetitions', async () => {
  const { storage } = await world()
  const text = Array.from({ length: 60_000 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000))).join('')
  storage.connection.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
       INSERT INTO dids (tenant_id, number, provider, description, status, created_at, updated_at)
       SELECT 1, i, 'Carrier', ? || i, 'active', '', '' FROM n`,
    )
    .run(text)
  const times: number[] = []
  for (let isBehind = true; isBehind; ) {
    const started = performance.now()
    isBehind = await step(storage)
    times.push(performance.now() - started)
  }
  const p95 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
  assert.ok(p95 < 50, `${times.length} steps, p95 ${p95.toFixed(0)} ms`)
  await storage.close()
})

test('text near the end of a long value is found', async () => {
  const of = await world()
  await of.add([
    { number: '1', provider: 'Carrier', description: `${'x'.repeat(10_000)} Needle ${'y'.repeat(10_000)}` },
  ])
  await of.add(Array.from({ length: 600 }, (_, n) => ({ number: String(n), provider: 'Other', description: null })))
  while (await step(of.storage));
  await agree(of, ['needle', 'carrier', 'xxx Needle yyy', 'x y', 'nowhere'], 'indexed')
  await of.change(1, { number: '1', provider: 'Carrier', description: `${'z'.repeat(10_000)} pin` })
  await agree(of, ['needle', 'pin', 'zzz', 'xxx'], 'changed')
  await of.storage.close()
})
