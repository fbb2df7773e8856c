import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ingest } from '../../adapters/pbx/ingest.ts'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { bundled } from '../support/bundled.ts'
import { startChild } from '../support/child.ts'
import { insert } from '../support/data/rows.ts'
import { contentOf } from '../support/data/stored-calls.ts'
import { asteriskRow, rules } from '../support/data/switch.ts'
import { temporaryFolder } from '../support/http/app.ts'

const KILLS = 26
const MOST_OF_A_LIFE = 8
const ROWS = 12_000
const PARTS = 3

const folder = temporaryFolder()
after(folder.remove)

const destination = (n: number): string => ['00380501112233', '4930123456', '101', '+380441234567'][n % 4] ?? ''

/** Calls of every kind, some repeated, one with the id of another, and unusable rows. */
const rows = Array.from({ length: ROWS }, (_, n) => {
  if (n % 500 === 499) return n % 1000 === 999 ? `garbage ${n}\n` : asteriskRow({ id: `${n}`, accountcode: 'nobody' })
  return asteriskRow({ id: `1700000000.${n % 700 === 0 ? 1 : n}`, to: destination(n), seconds: n % 300 })
})
const parts = Array.from({ length: PARTS }, (_, i) => rows.slice((i * ROWS) / PARTS, ((i + 1) * ROWS) / PARTS).join(''))

const open = (path: string) => openStorage(path, { clock: systemClock(), create: true, migrate: true })

async function makeEmpty(): Promise<string> {
  const path = join(mkdtempSync(join(folder.path, 'empty-')), 'test.db')
  const storage = open(path)
  const { id: tenant_id } = await insert(storage.records, 'tenants', { slug: 'acme' })
  await insert(storage.records, 'extensions', { tenant_id, extension_number: '101' })
  await insert(storage.records, 'dids', { tenant_id, number: '+380441234567' })
  await insert(storage.records, 'rates', { tenant_id, prefix: '380' })
  await storage.close()
  return path
}

/** The stored content, without ids, storing times and repeated deliveries. */
async function contentAt(path: string) {
  const storage = open(path)
  const quarantine = storage.connection
    .query<[], unknown>('SELECT format, record, reason FROM quarantine ORDER BY record')
    .all()
  assert.deepEqual(await storage.maintenance.check(), [])
  const content = { calls: await contentOf(storage), quarantine }
  await storage.close()
  return content
}

/** In one file: the child starts so often that loading it is most of the test. */
const CHILD = new URL('ingesting-child.ts', import.meta.url)

async function uninterrupted(empty: string) {
  const path = `${empty}.whole`
  cpSync(empty, path)
  const file = `${empty}.csv`
  writeFileSync(file, rows.join(''))
  const storage = open(path)
  await ingest(file, { feed: { name: file, rules: rules() }, format: 'asterisk-csv' }, storage.calls)
  await storage.close()
  return contentAt(path)
}

interface Life {
  readonly db: string
  readonly file: string
  /** Called whenever the child is not running; returns true if it has more to do. */
  readonly addMore: () => boolean
}

/** Starts the child repeatedly, killing it after one of its lines, until all is done. Returns the number of kills. */
async function killed(child: string, mode: string, { db, file, addMore }: Life, seed: number): Promise<number> {
  let kills = 0
  for (;;) {
    const running = startChild(child, [mode, db, file])
    // The first run gets enough time to note that it follows that file.
    await running.printed((kills === 0 ? 2 : 1) + ((seed + kills * 7) % 6))
    if (kills < MOST_OF_A_LIFE) await running.kill()
    const wasKilled = running.process.signalCode === 'SIGKILL'
    if (wasKilled) kills++
    else await running.ended()
    if (!addMore() && !wasKilled) return kills
  }
}

/** Repeats until there are enough kills; each run must end with the content of an uninterrupted one. */
async function livesEndAlike(mode: string, begin: (place: string) => Life): Promise<void> {
  const [child, empty] = [await bundled(CHILD), await makeEmpty()]
  const expected = await uninterrupted(empty)
  let kills = 0
  for (let life = 0; kills < KILLS; life++) {
    assert.ok(life < 3 * KILLS, 'the child is killed now and then')
    const place = join(folder.path, `${mode}-${life}`)
    mkdirSync(place)
    cpSync(empty, join(place, 'test.db'))
    const begun = begin(place)
    kills += await killed(child, mode, begun, life)
    assert.deepEqual(await contentAt(begun.db), expected, `life ${life}`)
  }
}

test('a file whose ingest is killed at any moment and restarted is stored as if nothing had happened', {
  timeout: 120_000,
}, async () => {
  await livesEndAlike('ingest', place => {
    const file = join(place, 'Master.csv')
    writeFileSync(file, rows.join(''))
    return { db: join(place, 'test.db'), file, addMore: () => false }
  })
})

test('a followed file that is rotated while its daemon is killed repeatedly is stored as if nothing had happened', {
  timeout: 120_000,
}, async () => {
  await livesEndAlike('follow', place => {
    const file = join(place, 'Master.csv')
    const [first = '', ...others] = parts
    writeFileSync(file, first)
    let turn = 0
    const addMore = (): boolean => {
      const part = others.shift()
      if (part === undefined) return false
      renameSync(file, `${file}.${++turn}`)
      writeFileSync(file, part)
      return true
    }
    return { db: join(place, 'test.db'), file, addMore }
  })
})
