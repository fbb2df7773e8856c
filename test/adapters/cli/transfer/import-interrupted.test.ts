import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { transferTools } from '../../../../adapters/cli/commands/transfer-commands.ts'
import type { Action } from '../../../../adapters/cli/program.ts'
import { progress } from '../../../../adapters/cli/terminal/progress.ts'
import { importRecords } from '../../../../adapters/cli/transfer/import/import.ts'
import { readImportOptions } from '../../../../adapters/cli/transfer/import/options.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { CALLS, calls, type Desk, deck, listening, openDesk, storing } from '../../../support/cli/imports.ts'
import { digestOf } from '../../../support/data/content.ts'
import { until } from '../../../support/data/switch.ts'

const FLAGS = ['--tenant', 'acme']

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

const prefixes = async (): Promise<string[]> => await desk.query('SELECT prefix FROM rates ORDER BY id')

describe('a dry run', () => {
  it('says what would happen and leaves the database byte for byte as it was', async () => {
    await desk.take('rates', deck('1,a,1,60,active'), FLAGS)
    const before = await digestOf(desk.path)
    const text = deck('1,b,2,60,active', '2,b,1,60,active', '3,c,bad,60,active', '3,d,1,60,active')
    for (const [mode, created, updated, skipped, rejected] of [
      ['insert', 2, 0, 0, 2],
      ['upsert', 2, 1, 0, 1],
      ['skip', 2, 0, 1, 1],
    ] as const) {
      const flags = [...FLAGS, '--mode', mode, '--dry-run', '--on-error', 'continue']
      const { summary, stderr } = await desk.take('rates', text, flags)
      assert.deepEqual(
        [summary.created, summary.updated, summary.skipped, summary.rejected],
        [created, updated, skipped, rejected],
      )
      assert.match(stderr, /2 would be created/)
    }
    const { summary } = await desk.take(
      'cdrs',
      `${CALLS}\n${calls(1, 1500)}nobody,1,2,outbound,BUSY,0,0,1,2026-01-01\n`,
      ['--dry-run', '--on-error', 'continue'],
    )
    assert.deepEqual([summary.created, summary.rejected], [1500, 1])
    assert.equal(await digestOf(desk.path), before)
  })

  it('says of all or nothing that it would be nothing, whether a cell or the database is against it', async () => {
    await desk.take('rates', deck('1,a,1,60,active'), FLAGS)
    for (const bad of ['3,c,bad,60,active', '1,c,1,60,active']) {
      const { summary, stderr } = await desk.take('rates', deck('2,b,1,60,active', bad), [...FLAGS, '--dry-run'])
      assert.deepEqual([summary.created, summary.rejected], [0, 1])
      assert.match(stderr, /2 rows: 0 would be created, 1 rejected.*\nnothing would be imported: correct the rows/)
    }
  })
})

it('an import that waits for standard input ends at once when it is interrupted', async () => {
  for (const [text, signal, exitCode, sentence] of [
    [`${CALLS}\n`, 'SIGINT', 130, /^interrupted: nothing was stored$/],
    [`${CALLS}\n${calls(1, 5000)}`, 'SIGTERM', 143, /^interrupted: [\d,]+ records of - are stored$/],
  ] as const) {
    const before = process.listeners(signal)
    let pieces = [text]
    const stdin = new Readable({
      read() {
        for (const piece of pieces) this.push(piece)
        if (pieces.length === 0) this.emit('waits')
        pieces = []
      },
    })
    const waits = once(stdin, 'waits')
    let act: Action | undefined
    transferTools(resourceNamed('cdrs'), 'cdr', (command, action) => {
      if (command.name() === 'import') act = action
      return command
    })
    const { context } = listening(desk.services)
    const ended = assert.rejects(async () => act?.({ ...context, io: { ...context.io, stdin } }, ['-'], {}), {
      exitCode,
      message: sentence,
    })
    await waits
    if (text.includes('acme'))
      await until('a batch is stored', async () => (await desk.query('SELECT count(*) FROM cdrs'))[0] !== '0')
    for (const listener of process.listeners(signal)) if (!before.includes(listener)) listener(signal)
    await ended
  }
})

describe('the progress', () => {
  const shownBy = (
    isTTY: boolean,
    quiet = false,
  ): { text: string[]; shown: ReturnType<typeof progress>; tick(ms: number): void } => {
    const { context } = listening(desk.services, { quiet })
    const text: string[] = []
    let now = 0
    const stderr = Object.assign(new PassThrough(), { isTTY, columns: 120 })
    stderr.on('data', chunk => text.push(String(chunk)))
    const shown = progress({ ...context, io: { ...context.io, stderr } }, 'deck.csv', 1000, () => now)
    return {
      text,
      shown,
      tick: ms => {
        now += ms
        shown.at({ bytes: now / 40, rows: now, rejected: 3 })
      },
    }
  }

  it('is a bar at a terminal, drawn at most ten times a second', () => {
    const { text, tick } = shownBy(true)
    for (let i = 0; i < 100; i++) tick(10)
    assert.equal(text.length, 10)
    assert.equal(text.at(-1)?.includes('█░░'), true)
    assert.match(text.at(-1) ?? '', /2 % {2}9\d\d rows {2}1,000\/s {2}3 rejected {2}\d+ s left/)
  })

  it('is a line every ten seconds elsewhere, and nothing when quiet', () => {
    const { text, tick } = shownBy(false)
    for (let i = 0; i < 30; i++) tick(1000)
    assert.deepEqual([text.length, text[0]], [3, 'deck.csv: 25 %  10,000 rows  1,000/s  3 rejected  30 s left\n'])
    const silent = shownBy(true, true)
    silent.tick(60_000)
    assert.deepEqual(silent.text, [])
  })
})

it('a signal that comes once all is stored interrupts nothing', async () => {
  const stop = new AbortController()
  const open = storing(desk, async store => {
    const counts = await store()
    stop.abort()
    return counts
  })
  const stream = Readable.from([Buffer.from(deck('1,A,1,60,active', '2,B,1,60,active'))], { objectMode: false })
  const { context } = listening(desk.services)
  const options = readImportOptions({ tenant: 'acme' })
  const source = { name: 'deck.csv', stream }
  const summary = await importRecords({
    resource: resourceNamed('rates'),
    source,
    options,
    context: { ...context, open },
    signal: stop.signal,
  })
  assert.deepEqual([summary.created, await prefixes()], [2, ['1', '2']])
})
