import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openDatabase } from '../../../../adapters/sqlite/database/database.ts'
import { createWriter } from '../../../../adapters/sqlite/database/writer.ts'
import { AppError } from '../../../../core/errors.ts'
import { temporaryFolder } from '../../../support/http/app.ts'

function world(path = ':memory:') {
  const commits: number[] = []
  const connection = openDatabase(path, { create: true })
  connection.db.exec(`CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE things (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`)
  const writer = createWriter(connection, { onCommit: changes => commits.push(changes) })
  const { query, value } = connection
  return {
    connection,
    writer,
    commits,
    put: (id: number) => query<[number], unknown>('INSERT INTO things (id) VALUES (?)').run(id).changes,
    orphan: (id: number) => query<[number], unknown>('INSERT INTO things VALUES (?, 99)').run(id).changes,
    stored: () => value<[], number>('SELECT id FROM things ORDER BY id').all(),
  }
}

const reasonOf = (outcome: PromiseSettledResult<unknown> | undefined): unknown =>
  outcome?.status === 'rejected' ? outcome.reason : undefined

describe('the writer', () => {
  test('commits the changes of one turn of the event loop together', async () => {
    const { writer, commits, put, stored } = world()
    assert.deepEqual(await Promise.all([1, 2, 3].map(id => writer.write(() => put(id)))), [1, 1, 1])
    await writer.write(() => put(4))
    assert.deepEqual(commits, [3, 1])
    assert.deepEqual(stored(), [1, 2, 3, 4])
  })

  test('commits changes together that come in turns that follow one another, as from new connections', async () => {
    const { writer, commits, put } = world()
    const changes: Promise<number>[] = []
    for (let id = 0; id < 20; id++) {
      changes.push(writer.write(() => put(id)))
      await nextTurn()
    }
    await Promise.all(changes)
    assert.ok(commits.length < 10, `${commits.length} commits`)
  })

  test('does not wait for changes that keep coming', async () => {
    const { writer, put } = world()
    let isWritten = false
    const changes = [
      writer
        .write(() => put(0))
        .finally(() => {
          isWritten = true
        }),
    ]
    while (!isWritten && changes.length < 100_000) {
      const id = changes.length
      changes.push(writer.write(() => put(id)))
      await nextTurn()
    }
    await Promise.all(changes)
    assert.ok(isWritten && changes.length < 10_000, `${changes.length} changes`)
  })

  test('runs the changes in the order in which they were asked for', async () => {
    const { writer } = world()
    const order: number[] = []
    await Promise.all(Array.from({ length: 1_300 }, (_, n) => writer.write(() => order.push(n))))
    assert.deepEqual(
      order,
      Array.from({ length: 1_300 }, (_, n) => n),
    )
  })

  test('bounds a group, so that none holds the event loop', async () => {
    const { writer, commits, put } = world()
    await Promise.all(Array.from({ length: 1_300 }, (_, id) => writer.write(() => put(id))))
    assert.deepEqual([commits.length, Math.max(...commits)], [3, 500])
  })

  test('undoes only the change that fails, completely, and keeps the others', async () => {
    const { writer, put, stored } = world()
    const outcomes = await Promise.allSettled([
      writer.write(() => put(1)),
      writer.write(() => {
        put(2)
        put(3)
        throw new RangeError('refused')
      }),
      writer.write(() => {
        put(4)
        return put(1)
      }),
      writer.write(() => put(5)),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    )
    assert.ok(reasonOf(outcomes[1]) instanceof RangeError)
    assert.deepEqual(stored(), [1, 5])
  })

  test('gives a change its own transaction on request, in its turn', async () => {
    const { writer, commits, put, stored } = world()
    const run = (id: number) => () => put(id)
    await Promise.all([
      writer.write(run(1)),
      writer.write(run(2)),
      writer.writeAlone(run(3)),
      writer.writeAlone(run(4)),
      writer.write(run(5)),
    ])
    assert.deepEqual(
      [commits, stored()],
      [
        [2, 1, 1, 1],
        [1, 2, 3, 4, 5],
      ],
    )
    const failing = writer.writeAlone(() => {
      put(6)
      throw new AppError('conflict', 'no')
    })
    await assert.rejects(failing, /no/)
    assert.deepEqual(stored(), [1, 2, 3, 4, 5])
  })

  test('acknowledges nothing before the commit: when that fails, every change of the group does', async () => {
    const { writer, put, orphan, stored } = world()
    const acknowledged: number[] = []
    const outcomes = await Promise.allSettled([
      writer.write(() => put(1)).then(() => acknowledged.push(1)),
      writer.write(() => orphan(2)).then(() => acknowledged.push(2)),
      writer.write(() => put(3)).then(() => acknowledged.push(3)),
    ])
    assert.ok(outcomes.every(outcome => /FOREIGN KEY/.test(String(reasonOf(outcome)))))
    assert.deepEqual([acknowledged, stored()], [[], []])
  })

  test('continues after a failed commit', async () => {
    const { writer, put, orphan, stored } = world()
    await assert.rejects(writer.write(() => orphan(1)))
    await writer.write(() => put(2))
    assert.deepEqual(stored(), [2])
  })

  test('shows a change to others only once it is acknowledged', async () => {
    const folder = temporaryFolder()
    const path = join(folder.path, 'test.db')
    const { writer, put, connection } = world(path)
    const other = openDatabase(path)
    const count = () => other.value<[], number>('SELECT count(*) FROM things').get()
    const seen: unknown[] = []
    const writes = [
      writer.write(() => put(1)),
      writer.write(() => {
        seen.push(count())
      }),
    ]
    await Promise.all(writes)
    assert.deepEqual([...seen, count()], [0, 1])
    other.close()
    connection.close()
    folder.remove()
  })

  test('waits for the lock of another by itself, so that SQLite does not hold the event loop meanwhile', async () => {
    const folder = temporaryFolder()
    const path = join(folder.path, 'test.db')
    const { writer, put, connection } = world(path)
    const patience = () => connection.db.pragma('busy_timeout', { simple: true })
    const usual = patience()
    const other = openDatabase(path)
    other.db.exec('BEGIN IMMEDIATE')
    const writing = writer.write(() => put(1))
    for (let turn = 0; turn < 1_000 && patience() !== 0; turn++) await nextTurn()
    const meanwhile = patience()
    other.db.exec('ROLLBACK')
    assert.equal(await writing, 1)
    assert.deepEqual([usual, meanwhile, patience()], [5, 0, 5])
    other.close()
    connection.close()
    folder.remove()
  })

  test('rejects every change that waits when the database is gone', async () => {
    const { writer, put, connection } = world()
    const writes = [1, 2].map(id => writer.write(() => put(id)))
    connection.close()
    const outcomes = await Promise.allSettled(writes)
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    await writer.drained()
  })

  test('rejects every change of a group that loses its transaction, and goes on with the next', async () => {
    const { writer, put, stored, connection } = world()
    const outcomes = await Promise.allSettled([
      writer.write(() => put(1)),
      writer.write(() => {
        connection.db.exec('ROLLBACK')
        throw new Error('the transaction is lost')
      }),
      writer.write(() => put(2)),
    ])
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    await writer.write(() => put(3))
    assert.deepEqual(stored(), [3])
  })

  test('reports a full disk as storage_full, and stores nothing of the change', async () => {
    const { writer, connection, stored } = world()
    connection.db.pragma(`max_page_count = ${Number(connection.db.pragma('page_count', { simple: true })) + 5}`)
    connection.db.exec('CREATE TABLE large (content)')
    const fill = () => connection.query('INSERT INTO large VALUES (zeroblob(1000000))').run()
    await assert.rejects(
      writer.write(fill),
      (error: unknown) => error instanceof AppError && error.code === 'storage_full',
    )
    assert.equal(connection.value('SELECT count(*) FROM large').get(), 0)
    assert.deepEqual(stored(), [])
  })

  test('is drained once nothing waits, including changes requested meanwhile', async () => {
    const { writer, put, stored } = world()
    await writer.drained()
    const first = writer.write(() => put(1)).then(() => writer.write(() => put(2)))
    await writer.drained()
    assert.ok(stored().includes(1))
    await first
    await writer.drained()
    assert.deepEqual(stored(), [1, 2])
  })
})
