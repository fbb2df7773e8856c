import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  copySource as postgresSource,
  copyTarget as postgresTarget,
} from '../../../../adapters/postgres/database/copy-rows.ts'
import { openStorage as openPostgres } from '../../../../adapters/postgres/storage.ts'
import { TABLES } from '../../../../adapters/sql/tables.ts'
import {
  copySource as sqliteSource,
  copyTarget as sqliteTarget,
} from '../../../../adapters/sqlite/database/copy-rows.ts'
import { openStorage as openSqlite } from '../../../../adapters/sqlite/storage.ts'
import { nodeDigests } from '../../../../adapters/system/digests.ts'
import type { CopyTarget } from '../../../../core/ports/storage.ts'
import { copyDatabase } from '../../../../core/use-cases/upkeep/copy-database.ts'
import { manualClock } from '../../../support/clock.ts'
import { fillEveryTable, ODD } from '../../../support/data/every-table.ts'
import { insert, listOf } from '../../../support/data/rows.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { newDatabase } from '../../../support/postgres/databases.ts'

const digests = nodeDigests()
const options = { clock: manualClock(), create: true }

/** Opens only what is there. */
const unmade = { clock: manualClock() }

/** A folder with a SQLite database that holds rows in every table, and an empty PostgreSQL database. */
async function withFilled(check: (given: { folder: string; path: string; address: string }) => Promise<void>) {
  const { path: folder, remove } = temporaryFolder()
  const path = join(folder, 'from.db')
  try {
    const storage = openSqlite(path, options)
    await fillEveryTable(storage)
    await storage.close()
    await check({ folder, path, address: await newDatabase() })
  } finally {
    remove()
  }
}

for (const callsByMonth of [false, true])
  test(`a database is copied whole to PostgreSQL${callsByMonth ? ' with calls by month' : ''} and back, every table and id, and continues with the next ids`, () =>
    withFilled(async ({ folder, path, address }) => {
      const there = await copyDatabase({
        source: sqliteSource(path),
        target: postgresTarget(address, { callsByMonth }),
        digests,
      })
      assert.deepEqual(there.map(({ table }) => table).sort(), [...TABLES].sort())
      assert.deepEqual(
        there.filter(({ rows }) => rows === 0),
        [],
        'the test fills every table',
      )
      const back = join(folder, 'back.db')
      assert.deepEqual(
        await copyDatabase({ source: postgresSource(address), target: sqliteTarget(back), digests }),
        there,
      )
      for (const storage of [await openPostgres(address, options), openSqlite(back, options)]) {
        const { records, close } = storage
        const [tenant] = await listOf(records, 'tenants')
        assert.equal(tenant?.['name'], ODD)
        // Call 1200 was the last one and is deleted.
        assert.equal((await insert(records, 'cdrs')).id, 1_201)
        assert.equal((await insert(records, 'tenants')).id, 2)
        assert.deepEqual(
          (await listOf(records, 'tenants', { search: 'A\tB' })).map(({ id }) => id),
          [1],
        )
        await close()
      }
    }))

test('a copy holds one moment, though others write meanwhile', () =>
  withFilled(async ({ path, address }) => {
    const writer = openSqlite(path, options)
    const target = postgresTarget(address)
    const writing: CopyTarget = {
      fill: work =>
        target.fill(filling =>
          work({
            ...filling,
            store: async (table, rows) => {
              await insert(writer.records, 'cdrs')
              await filling.store(table, rows)
            },
          }),
        ),
    }
    const copied = await copyDatabase({ source: sqliteSource(path), target: writing, digests })
    await writer.close()
    assert.equal(copied.find(({ table }) => table === 'cdrs')?.rows, 1_198)
  }))

test('a place that is not empty is refused, and keeps what it has', () =>
  withFilled(async ({ folder, path, address }) => {
    const storage = await openPostgres(address, options)
    await insert(storage.records, 'tenants')
    await assert.rejects(copyDatabase({ source: sqliteSource(path), target: postgresTarget(address), digests }), {
      code: 'conflict',
    })
    assert.equal((await listOf(storage.records, 'tenants')).length, 1)
    await storage.close()
    await assert.rejects(
      copyDatabase({ source: postgresSource(address), target: sqliteTarget(join(folder, 'from.db')), digests }),
      { code: 'conflict' },
    )
  }))

test('an interrupted copy leaves nothing behind, and the next one succeeds', () =>
  withFilled(async ({ folder, path, address }) => {
    const interrupted = async (source: typeof postgresSource, from: string, target: CopyTarget) => {
      const abort = new AbortController()
      const onProgress = ({ done }: { readonly done: number }) => void (done > 1_000 && abort.abort())
      const copy = copyDatabase({ source: source(from), target, digests, onProgress, signal: abort.signal })
      await assert.rejects(copy, { name: 'AbortError' })
    }
    await interrupted(sqliteSource, path, postgresTarget(address))
    await assert.rejects(openPostgres(address, unmade))
    await copyDatabase({ source: sqliteSource(path), target: postgresTarget(address), digests })
    const back = join(folder, 'back.db')
    await interrupted(postgresSource, address, sqliteTarget(back))
    assert.deepEqual(
      readdirSync(folder).filter(name => name.startsWith('back')),
      [],
    )
    await copyDatabase({ source: postgresSource(address), target: sqliteTarget(back), digests })
  }))

test('a table that is not stored as it was read fails the copy, which leaves nothing behind', () =>
  withFilled(async ({ path, address }) => {
    const target = postgresTarget(address)
    const changing: CopyTarget = {
      fill: work =>
        target.fill(filling =>
          work({
            ...filling,
            store: (table, rows) =>
              filling.store(
                table,
                (async function* () {
                  for await (const some of rows)
                    yield some.map(row =>
                      row.map(value => (value === ODD && table.name === 'notices' ? 'else' : value)),
                    )
                })(),
              ),
          }),
        ),
    }
    await assert.rejects(copyDatabase({ source: sqliteSource(path), target: changing, digests }), { code: 'corrupt' })
    await assert.rejects(openPostgres(address, unmade))
  }))

test('a text that PostgreSQL cannot store fails the copy, which names the table', () =>
  withFilled(async ({ path, address }) => {
    const { connection, close } = openSqlite(path, options)
    connection.db.prepare('UPDATE tenants SET name = ?').run('a\0b')
    await close()
    await assert.rejects(copyDatabase({ source: sqliteSource(path), target: postgresTarget(address), digests }), {
      code: 'conflict',
      message: /tenants/,
    })
  }))
