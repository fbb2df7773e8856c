import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { compose, type Trunkline } from '../../bin/compose.ts'
import { startBackground } from '../../bin/daemon/background.ts'
import { retryChanged } from '../../bin/feeds.ts'
import type { FeedSetting } from '../../config/feeds.ts'
import { loadSettings } from '../../config/load.ts'
import { insert } from '../support/data/rows.ts'
import { asteriskRow, rowsFrom, until } from '../support/data/switch.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { databaseAt } from '../support/storages.ts'

let folder: ReturnType<typeof temporaryFolder>
let trunkline: Trunkline
before(async () => {
  folder = temporaryFolder()
  const { settings } = loadSettings({ flags: {}, environment: {}, file: undefined })
  const opening = { create: true, migrate: true }
  trunkline = await compose({ ...settings, db: await databaseAt(folder.path, 'trunkline.db') }, () => '', opening)
  await insert(trunkline.storage.records, 'tenants', { slug: 'acme' })
})
after(async () => {
  await trunkline.close()
  folder.remove()
})

/** Runs a daemon with this feed until the condition holds; returns the lines of its log. */
async function running(
  feed: FeedSetting,
  isDone: (stored: number, log: readonly string[]) => boolean | Promise<boolean>,
): Promise<string[]> {
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(line) })
  const { settings } = loadSettings({ flags: {}, environment: {}, file: undefined })
  const background = startBackground(
    { trunkline, securityFrom: 0, served: [] },
    { ...settings, feeds: [{ every: 0.05, ...feed }] },
    log,
  )
  try {
    await until('it is done', () => isDone(background.feeds[0]?.state().counts.stored ?? 0, lines))
  } finally {
    await background.stop()
  }
  return lines
}

/** The log of retries when a daemon with these feeds starts. */
async function retried(feeds: readonly FeedSetting[]): Promise<string> {
  let lines = ''
  const write = (line: string): void => {
    lines += line
  }
  await retryChanged(feeds, trunkline.storage.calls, new AbortController().signal, pino({ base: null }, { write }))
  return lines
}

const waiting = (): Promise<number> => trunkline.storage.calls.quarantineCount()
const calls = async (): Promise<number> => (await trunkline.storage.maintenance.statistics()).counts['cdrs'] ?? 0

describe('a feed whose format was wrong', { timeout: 60_000 }, () => {
  it('is corrected by the setting alone: its quarantine is read again, and the file continues where it was', async () => {
    const path = join(folder.path, 'Master.csv')
    writeFileSync(path, rowsFrom(1, 250))
    await running({ format: 'freeswitch-csv', path }, async () => (await waiting()) === 250)
    assert.equal(await calls(), 0)
    appendFileSync(path, rowsFrom(251, 1))
    const log = await running(
      { format: 'asterisk-csv', path, tenant: 'acme' },
      async stored => stored === 1 && (await waiting()) === 0,
    )
    assert.equal(await calls(), 251)
    assert.match(log.join(''), /"replayed":250,"left":0,"msg":"the settings of feeds have changed/)
  })

  it('leaves records that the new format cannot read either, and does not try them at each start', async () => {
    const path = join(folder.path, 'calls.ndjson')
    writeFileSync(path, 'no record at all\n')
    await running({ format: 'freeswitch-csv', path }, async () => (await waiting()) === 1)
    const corrected: FeedSetting[] = [{ format: 'ndjson', path }]
    assert.match(await retried(corrected), /"replayed":0,"left":1/)
    for await (const { format, reason } of trunkline.storage.calls.quarantine())
      assert.deepEqual([format, reason], ['ndjson', 'is no valid JSON: it may have been torn'])
    assert.equal(await retried(corrected), '')
  })

  it('is corrected with its tenant, its time zone or its switch as well', async () => {
    const path = join(folder.path, 'nobody.csv')
    writeFileSync(path, asteriskRow({ id: '9.1', accountcode: '' }))
    const before = await calls()
    await running({ format: 'asterisk-csv', path }, async () => (await waiting()) === 2)
    await running({ format: 'auto', path, tenant: 'acme' }, async () => (await waiting()) === 1)
    assert.equal(await calls(), before + 1)
  })
})

describe('a feed whose path', { timeout: 60_000 }, () => {
  it('is missing is logged once, and followed from when it is there', async () => {
    const path = join(folder.path, 'late', 'Master.csv')
    let looks = 0
    const log = await running({ format: 'asterisk-csv', path, tenant: 'acme' }, (stored, lines) => {
      if (lines.some(line => line.includes('There is nothing at'))) looks++
      if (looks === 30) mkdirSync(join(folder.path, 'late'))
      if (looks === 40) writeFileSync(path, asteriskRow({ id: '10.1' }))
      return stored === 1
    })
    const reports = log.filter(line => line.includes('There is nothing at'))
    assert.equal(reports.length, 1, log.join(''))
    assert.ok(reports[0]?.includes(path))
  })

  it('is a folder is logged where its format is that of a file', async () => {
    const path = join(folder.path, 'cdr-csv')
    mkdirSync(path)
    const refusal = 'cdr-csv is a folder, but only freeswitch-json can be read from a folder; name the file'
    await running({ format: 'asterisk-csv', path }, (_, log) => log.join('').includes(refusal))
  })
})
