import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Sqlite } from '../../adapters/sqlite/database/driver.ts'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { bundled } from '../support/bundled.ts'
import { startChild } from '../support/child.ts'
import { idsOf } from '../support/data/rows.ts'
import { temporaryFolder } from '../support/http/app.ts'

const ROUNDS = 50

const folder = temporaryFolder()
after(folder.remove)
const path = join(folder.path, 'test.db')

interface Acknowledged {
  readonly cdr: Set<number>
  readonly sent: Set<number>
  readonly received: Set<number>
}

function note(acknowledged: Acknowledged, lines: readonly string[]): void {
  for (const line of lines) {
    const [kind, id] = line.split(' ')
    if (kind !== 'cdr' && kind !== 'sent' && kind !== 'received') continue
    assert.ok(kind === 'received' || !acknowledged[kind].has(Number(id)), `${line} was acknowledged twice`)
    acknowledged[kind].add(Number(id))
  }
}

/** What every acknowledged write must have left, read over a plain connection. */
function check(acknowledged: Acknowledged, round: number): void {
  const db = new Sqlite(path, { readonly: true })
  const ids = (sql: string): Set<unknown> => new Set(db.prepare(sql).pluck().all())
  const cdrs = ids('SELECT id FROM cdrs')
  const settled = ids(`SELECT id FROM sms_messages WHERE delivery_status IN ('submitted', 'submitted+received')`)
  const received = ids(`SELECT id FROM sms_messages WHERE delivery_status = 'submitted+received'`)
  for (const id of acknowledged.cdr) assert.ok(cdrs.has(id), `round ${round}: call ${id} is lost`)
  for (const id of acknowledged.sent) assert.ok(settled.has(id), `round ${round}: settling ${id} is lost`)
  for (const id of acknowledged.received) assert.ok(received.has(id), `round ${round}: the receipt of ${id} is lost`)
  const count = (sql: string): unknown => db.prepare(sql).pluck().get()
  assert.equal(count('SELECT count(*) - count(DISTINCT caller_number) FROM cdrs'), 0, 'a call is there twice')
  assert.equal(
    count(
      `SELECT count(*) FROM sms_messages WHERE delivery_status NOT IN ('queued', 'submitted', 'submitted+received')`,
    ),
    0,
    'a receipt was applied twice or by halves',
  )
  assert.equal(
    count(`SELECT count(*) FROM parked_receipts p JOIN sms_messages m USING (sms_gateway_id, external_message_id)`),
    0,
    'a receipt waits although its message was settled',
  )
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  assert.deepEqual(db.pragma('foreign_key_check'), [])
  db.close()
}

test(`what was acknowledged survives ${ROUNDS} kills in the middle of writing`, { timeout: 180_000 }, async () => {
  const acknowledged: Acknowledged = { cdr: new Set(), sent: new Set(), received: new Set() }
  const writer = await bundled(new URL('writing-child.ts', import.meta.url))
  let writing = 0
  for (let round = 0; round < ROUNDS; round++) {
    const child = startChild(writer, [path, String(round)])
    // Some die as soon as they write, others after a while.
    await child.printed(2 + (round % 10) * 40)
    assert.equal(child.process.exitCode, null, 'the child ended by itself')
    if (child.lines.length > 1) writing++
    await child.kill()
    note(acknowledged, child.lines)
    check(acknowledged, round)
  }
  assert.equal(writing, ROUNDS)
  const storage = openStorage(path, { clock: systemClock() })
  const stored = await idsOf(storage.records, 'cdrs')
  assert.equal(new Set(stored).size, stored.length)
  for (const id of acknowledged.cdr) assert.ok(stored.includes(id))
  await storage.close()
})
