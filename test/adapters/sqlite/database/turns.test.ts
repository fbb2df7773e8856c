import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../../../../adapters/sqlite/database/turns.ts'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import type { PageQuery } from '../../../../core/ports/records.ts'
import { cdrs } from '../../../../core/resources/cdrs.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'
import { longestTurn } from '../../../support/event-loop.ts'

/** Keeps the processor busy. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('steps run in the order in which they are asked for, and others have their turns in between', async () => {
  const turns = new Turns()
  const seen: string[] = []
  const steps = (name: string): Promise<unknown> => {
    const take = turns.begin()
    const step = (n: number): Promise<unknown> =>
      take(() => {
        work(3)
        seen.push(`${name}${n}`)
      })
    return Promise.all(Array.from({ length: 8 }, (_, n) => step(n)))
  }
  let isOver = false
  const others = async (): Promise<void> => {
    for (; !isOver; seen.push('-')) await new Promise(setImmediate)
  }
  const asking = others()
  await Promise.all([steps('a'), steps('b')])
  isOver = true
  await asking
  const expected = ['a', 'b'].flatMap(name => Array.from({ length: 8 }, (_, n) => name + n))
  assert.deepEqual(
    seen.filter(step => step !== '-'),
    expected,
  )
  const inOneTurn = seen
    .join(' ')
    .split('-')
    .map(turn => turn.trim().split(' ').length)
  assert.ok(Math.max(...inOneTurn) <= 3, seen.join(' '))
})

test('new work does not wait for long work, which still makes progress', async () => {
  const turns = new Turns()
  let late = 0
  let isOver = false
  const long = Array.from({ length: 100 }, async () => {
    const take = turns.begin()
    while (!isOver) await take(() => late++)
  })
  while (late < 5_000) await new Promise(setImmediate)
  const before = late
  const take = turns.begin()
  for (let step = 0; step < 5; step++) await take(() => undefined)
  assert.ok(late - before < 20, `${late - before} steps of others`)
  const many = Array.from({ length: 100 }, () => turns.begin()(() => undefined))
  await Promise.all(many)
  assert.ok(late - before > 20, 'one in four turns is for the others')
  isOver = true
  await Promise.all(long)
})

test('an error in a step reaches its own work, and the others continue', async () => {
  const turns = new Turns()
  const failing = turns.begin()(() => {
    throw new Error('the disk is gone')
  })
  const going = turns.begin()(() => 'read')
  await assert.rejects(failing, /the disk is gone/)
  assert.equal(await going, 'read')
})

const COUNT = 3_000

test('a hundred lists and sixty searches at once leave the event loop free', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  await insert(storage.records, 'tenants')
  await insert(storage.records, 'extensions')
  storage.connection.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO cdrs (tenant_id, extension_id, caller_number, destination_number, direction, disposition,
         duration_seconds, bill_seconds, cost, started_at, ended_at, created_at, updated_at)
       SELECT 1, 1, '+38050' || i, '+4420' || i, 'outbound', 'ANSWERED', i % 100, i % 100, i,
         printf('2026-01-%02dT%02d:00:00.000000Z', 1 + (i * 7) % 28, i % 24), NULL, 'x', 'x' FROM n`,
    )
    .run(COUNT)
  const read = async (query: Partial<PageQuery>): Promise<number> => {
    let count = 0
    for await (const page of storage.records.list(cdrs, { view: 'list', ...query })) count += page.count
    return count
  }
  const counts: number[] = []
  const p99 = await longestTurn(async () => {
    const all = await Promise.all([
      ...Array.from({ length: 90 }, () => read({})),
      ...Array.from({ length: 10 }, () => read({ where: { extension_id: 1 } })),
      ...Array.from({ length: 30 }, () => read({ search: 'zz' })),
      ...Array.from({ length: 30 }, () => read({ search: '42' })),
    ])
    counts.push(...all)
  })
  assert.ok(counts.slice(0, 100).every(count => count === COUNT))
  assert.ok(counts.slice(100, 130).every(count => count === 0))
  assert.ok(counts.slice(130).every(count => count > 500))
  assert.ok(p99 < 200, `a turn of the event loop took ${p99.toFixed(1)} ms`)
  await storage.close()
})
