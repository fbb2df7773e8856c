import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { Sqlite } from '../../../../adapters/sqlite/database/driver.ts'
import { storedTable, switchTable } from '../../../../adapters/sqlite/switching/switch-table.ts'
import { AppError, type ErrorCode } from '../../../../core/errors.ts'
import type { SwitchTable, SwitchTableShape, TableRow } from '../../../../core/ports/switching/table.ts'

const SHAPE: SwitchTableShape = {
  name: 'things',
  columns: ['a', 'b'],
  views: [{ name: 'seen', constants: { kind: "it's" }, columns: { first: 'a' } }],
}
const row = (id: string, a = '1', b = '2'): TableRow => ({ id, values: [a, b] })
const failsWith = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

describe('a table that a switch reads', () => {
  let folder: string
  let path: string
  let table: SwitchTable
  /** What another program reads, on a connection of its own. */
  const seen = (sql = 'SELECT id FROM seen'): unknown[] => {
    const db = new Sqlite(path)
    try {
      return db.prepare(sql).raw().all()
    } finally {
      db.close()
    }
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-table-'))
    path = join(folder, 'rows.db')
    table = switchTable(path, SHAPE)
  })
  afterEach(() => {
    table.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const filled = async (): Promise<void> => {
    await table.replace(1, [row('x'), row('y')])
    await table.replace(2, [row('z')])
    await table.keep(new Set([1, 2]))
  }

  test('shows ids, constants and renamed columns, the last id first', async () => {
    await filled()
    assert.deepEqual(seen('SELECT * FROM seen'), [
      ['z', "it's", '1'],
      ['y', "it's", '1'],
      ['x', "it's", '1'],
    ])
  })

  test('is seen when it is whole, and not while it is filled for the first time', async () => {
    writeFileSync(path, '')
    await table.replace(1, [row('x')])
    assert.deepEqual(seen('SELECT name FROM sqlite_master'), [])
    await table.keep(new Set([1]))
    assert.deepEqual(seen(), [['x']])
  })

  test('says which rows changed, and leaves the others alone', async () => {
    await filled()
    assert.deepEqual(await table.replace(1, [row('x'), row('y')]), [])
    assert.deepEqual(await table.replace(1, [row('y', 'new'), row('w')]), [
      { before: row('x'), after: null },
      { before: row('y'), after: row('y', 'new') },
      { before: null, after: row('w') },
    ])
    assert.deepEqual(await table.rows(1), [row('w'), row('y', 'new')])
    assert.deepEqual(await table.rows(2), [row('z')])
  })

  test('removes the rows of owners that are gone', async () => {
    await filled()
    assert.deepEqual(await table.keep(new Set([2])), [
      { before: row('x'), after: null },
      { before: row('y'), after: null },
    ])
    assert.deepEqual(seen(), [['z']])
  })

  test('gives an id to its new owner, whichever of the two is written first', async () => {
    await filled()
    await table.replace(2, [row('x', 'of 2')])
    await table.replace(1, [row('y')])
    assert.deepEqual([await table.rows(1), await table.rows(2)], [[row('y')], [row('x', 'of 2')]])
  })

  test('changes while another program reads it, which sees the change at its next query', async () => {
    await filled()
    const reader = new Sqlite(path)
    const first = reader.prepare("SELECT first FROM seen WHERE id = 'x'").pluck()
    const scan = reader.prepare('SELECT id FROM seen').iterate()
    scan.next()
    await table.replace(1, [row('x', 'new'), row('y')])
    scan.return?.()
    assert.equal(first.get(), 'new')
    reader.close()
  })

  test('keeps its rows when it is opened again, and is filled again in one step when its shape is another', async () => {
    await filled()
    table.close()
    assert.deepEqual(await table.replace(1, [row('x'), row('y')]), [])
    table.close()
    table = switchTable(path, { ...SHAPE, columns: ['a', 'c'] })
    await table.replace(1, [row('x', 'new')])
    assert.deepEqual(seen("SELECT first FROM seen WHERE id = 'x'"), [['1']], 'the former one until then')
    await table.keep(new Set([1]))
    assert.deepEqual(seen('SELECT id, first FROM seen'), [['x', 'new']])
  })

  test('is written and read by the group, as the files beside it are, and by nobody else', async () => {
    await filled()
    for (const name of ['', '-wal', '-shm']) assert.equal(statSync(`${path}${name}`).mode & 0o777, 0o660, name)
  })

  test("refuses another program's database, and one that is damaged, and works once it is gone", async () => {
    const other = new Sqlite(path)
    other.exec('CREATE TABLE mine (id)')
    other.close()
    chmodSync(path, 0o600)
    await assert.rejects(table.rows(1), failsWith('configuration'))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.deepEqual(seen('SELECT name FROM sqlite_master'), [['mine']])
    writeFileSync(path, 'no database at all'.repeat(100))
    await assert.rejects(table.rows(1), failsWith('corrupt'))
    rmSync(path)
    await filled()
    assert.equal(seen().length, 3)
  })

  test('says that its folder is missing, and is written once that is there', async () => {
    rmSync(folder, { recursive: true })
    await assert.rejects(table.replace(1, [row('x')]), /^AppError: The folder of .*rows\.db is not there/)
    mkdirSync(folder)
    await filled()
    assert.equal(seen().length, 3)
  })

  test('says that its file has been removed, and is then written again', async () => {
    await filled()
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`)
    await assert.rejects(table.replace(1, [row('x')]), failsWith('not_found'))
    await filled()
    assert.equal(seen().length, 3)
  })

  test('says which file another program has locked', async () => {
    await filled()
    const other = new Sqlite(path)
    other.exec('BEGIN IMMEDIATE')
    await assert.rejects(table.replace(1, []), /rows\.db is locked by another program/)
    other.close()
    await table.replace(1, [])
    assert.deepEqual(seen(), [['z']])
  })

  test('is read by owner without being changed, and is not found before it is written', async () => {
    const stored = storedTable(path, SHAPE)
    await assert.rejects(stored.rows(), failsWith('not_found'))
    await assert.rejects(storedTable(join(path, 'none', 'rows.db'), SHAPE).rows(), failsWith('not_found'))
    writeFileSync(path, '')
    await assert.rejects(stored.rows(), failsWith('not_found'))
    await filled()
    assert.deepEqual(
      await stored.rows(),
      new Map([
        [1, [row('x'), row('y')]],
        [2, [row('z')]],
      ]),
    )
  })
})
