import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from '../../../adapters/postgres/database/sql.ts'
import { resources } from '../../../core/resources/all.ts'
import { fold } from '../../../core/search.ts'
import { manualClock } from '../../support/clock.ts'
import { idsOf, insert } from '../../support/data/rows.ts'
import { openEmpty } from '../../support/postgres/databases.ts'

/**
 * Letters whose case is the same in old and new versions of Unicode, and characters special to patterns and languages.
 */
const LETTER = fc.constantFrom(...'aAbBäÄßéÉжЖсСσΣςİıК%_\\\'"/ .-0123456789漢😀')
const TEXT = fc.string({ unit: LETTER, minLength: 1, maxLength: 12 })

test('a search finds the same as folding in the core, for any text and any limit', async () => {
  const { records, close } = await openEmpty(manualClock())
  try {
    await insert(records, 'tenants')
    const texts = fc.sample(TEXT, 60)
    const made: { readonly id: number; readonly text: string }[] = []
    for (const name of texts) {
      const { id, queue_number: number, strategy } = await insert(records, 'queues', { name })
      made.unshift({ id, text: fold([name, number, strategy].join('\x1f')) })
    }
    const needle = fc.oneof(
      fc.string({ unit: LETTER, minLength: 1, maxLength: 3 }),
      fc.constantFrom(...texts).map(text => text.toUpperCase()),
    )
    await fc.assert(
      fc.asyncProperty(needle, fc.nat(5), async (search, most) => {
        const expected = made.filter(({ text }) => text.includes(fold(search))).map(({ id }) => id)
        assert.deepEqual(await idsOf(records, 'queues', { search }), expected)
        assert.deepEqual(await idsOf(records, 'queues', { search, limit: most + 1 }), expected.slice(0, most + 1))
      }),
      { numRuns: 60 },
    )
    for (const search of ['a\0b', '\x1f']) assert.deepEqual(await idsOf(records, 'queues', { search }), [])
  } finally {
    await close()
  }
})

test('each resource that is searched has one index of the text that searches look in', async () => {
  const { database, close } = await openEmpty(manualClock())
  try {
    const indexes = await database.rows<{ tablename: string; indexdef: string }>(
      sql`SELECT tablename::text, indexdef FROM pg_indexes WHERE indexname LIKE '%\\_search\\_%' ORDER BY tablename`,
    )
    const searched = resources.filter(({ search }) => search.length > 0).map(({ name }) => name)
    assert.deepEqual(
      indexes.map(({ tablename }) => tablename),
      searched.sort(),
    )
    for (const { indexdef } of indexes) assert.match(indexdef, /USING gin \(fold\(.*gin_trgm_ops\) WITH/)
  } finally {
    await close()
  }
})

test('what waits to be sorted into search indexes is sorted in while writes are followed', async () => {
  const { database, indexing, records, close } = await openEmpty(manualClock())
  try {
    const waiting = () =>
      database.values<number>(sql`SELECT n_pending_pages FROM pg_class i, gin_metapage_info(get_raw_page(i.relname, 0))
        WHERE i.relkind = 'i' AND starts_with(i.relname, 'tenants_search_')`)
    await database.script('CREATE EXTENSION IF NOT EXISTS pageinspect')
    await insert(records, 'tenants')
    assert.deepEqual(await waiting(), [1])
    const following = new AbortController()
    const followed = indexing.followWrites(following.signal, error => assert.fail(String(error)))
    while ((await waiting())[0] !== 0);
    following.abort()
    await followed
  } finally {
    await close()
  }
})
