import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { importRecords } from '../../../../adapters/cli/transfer/import/import.ts'
import { readImportOptions } from '../../../../adapters/cli/transfer/import/options.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { CALLS, calls, type Desk, listening, openDesk, storing } from '../../../support/cli/imports.ts'

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

describe('an import of call records', () => {
  const stored = async (): Promise<string[]> => await desk.query('SELECT caller_number FROM cdrs ORDER BY id')

  it('that stopped at a bad row continues once the row is corrected', async () => {
    const text = `${CALLS}\n${calls(1, 2500, n => (n === 2200 ? 'bad' : '1'))}`
    const first = await desk.take('cdrs', text)
    assert.equal(first.summary.rejected, 1)
    assert.equal((await stored()).length, first.summary.created)
    assert.ok(first.summary.created >= 500 && first.summary.created < 2200)
    await assert.rejects(desk.take('cdrs', text), /was interrupted after [\d,]+ rows/)
    const { summary } = await desk.take('cdrs', text.replace('bad', '1'), ['--resume'])
    assert.deepEqual([summary.rows, summary.created, summary.rejected], [2500, 2500, 0])
    assert.deepEqual(
      await stored(),
      Array.from({ length: 2500 }, (_, i) => String(i + 1)),
    )
  })

  it('is not resumed with another input', async () => {
    const text = `${CALLS}\n${calls(1, 2500, n => (n === 2200 ? 'bad' : '1'))}`
    await desk.take('cdrs', text)
    const before = await stored()
    await assert.rejects(
      desk.take('cdrs', text.replace('acme,500,', 'acme,501,'), ['--resume']),
      /is not what the interrupted import read/,
    )
    await assert.rejects(
      desk.take('cdrs', `${CALLS}\n${calls(9000, 3000)}`, ['--resume']),
      /is not what the interrupted import read/,
    )
    await assert.rejects(
      desk.take('cdrs', text.slice(0, 5000), ['--resume']),
      /is not what the interrupted import read/,
    )
    assert.deepEqual(await stored(), before)
  })

  it('is read from the beginning on request, and leaves stored records unchanged', async () => {
    const text = `${CALLS}\n${calls(1, 2500, n => (n === 2200 ? 'bad' : '1'))}`
    const { summary } = await desk.take('cdrs', text)
    const again = await desk.take('cdrs', text.replace('bad', '1'), ['--no-resume'])
    assert.deepEqual([again.summary.created, again.summary.skipped], [2500 - summary.created, summary.created])
    assert.equal((await stored()).length, 2500)
  })

  it('that was finished takes with --resume only what was added since', async () => {
    const text = `${CALLS}\n${calls(1, 1200)}`
    await desk.take('cdrs', text)
    await desk.take('cdrs', text, ['--resume'])
    assert.equal((await stored()).length, 1200)
    await desk.take('cdrs', text + calls(1201, 10), ['--resume'])
    assert.deepEqual((await stored()).slice(-2), ['1209', '1210'])
    assert.equal((await stored()).length, 1210)
  })

  it('that is repeated stores nothing and says so, unless duplicates are allowed', async () => {
    const text = `${CALLS}\n${calls(1, 1200)}`
    await desk.take('cdrs', text)
    for (const flags of [[], ['--no-resume'], ['--dry-run']]) {
      const { summary, stderr } = await desk.take('cdrs', text, flags)
      assert.deepEqual([summary.created, summary.skipped], [0, 1200])
      assert.match(stderr, /1,200 (would be )?skipped, since they are stored already/)
    }
    assert.equal((await stored()).length, 1200)
    await desk.take('cdrs', text, ['--allow-duplicates'])
    assert.equal((await stored()).length, 2400)
  })

  it('stores the good rows of a batch with bad references, and writes the others to the reject file', async () => {
    const rejects = join(desk.folder, 'r.csv')
    const text = `${CALLS.replace('tenant', 'tenant_id')}\n${calls(1, 3).replaceAll('acme', '1').replace('1,2,2,', '77,2,2,')}`
    const { summary } = await desk.take('cdrs', text, ['--on-error', 'continue', '--reject-file', rejects])
    assert.deepEqual([summary.created, summary.rejected], [2, 1])
    assert.deepEqual(await stored(), ['1', '3'])
    assert.match(readFileSync(rejects, 'utf8'), /tenant_id: The selected tenant id is invalid\.,77,2,2/)
  })

  it('stops if another import of the same input has gone on meanwhile, and stores nothing twice', async () => {
    const text = `${CALLS}\n${calls(1, 700, n => (n === 600 ? 'bad' : '1'))}`
    const corrected = text.replace('bad', '1')
    await desk.take('cdrs', text)
    const open = storing(desk, async store => {
      await desk.take('cdrs', corrected, ['--resume'])
      return store()
    })
    const stream = Readable.from([Buffer.from(corrected)], { objectMode: false })
    const { context } = listening(desk.services)
    await assert.rejects(
      importRecords({
        resource: resourceNamed('cdrs'),
        source: { name: 'in.csv', stream },
        options: readImportOptions({ resume: true }),
        context: {
          ...context,
          open,
        },
      }),
      { code: 'conflict', message: 'Another import of this input is running, so this one stops.' },
    )
    assert.deepEqual(
      await stored(),
      Array.from({ length: 700 }, (_, i) => String(i + 1)),
    )
  })

  it('ends when a batch cannot be stored, whether more of its input comes or not', async () => {
    const stream = new PassThrough()
    stream.write(`${CALLS}\n${calls(1, 5000)}`)
    const open = storing(desk, async () => {
      throw new Error('full')
    })
    const { context } = listening(desk.services)
    const source = { name: '-', stream }
    const importing = importRecords({
      resource: resourceNamed('cdrs'),
      source,
      options: readImportOptions({}),
      context: { ...context, open },
    })
    await assert.rejects(importing, /full/)
    assert.equal((await stored()).length, 0)
  })

  it('ends when a batch cannot be handed over, whether more of its input comes or not', async () => {
    const stream = new PassThrough()
    stream.write(`${CALLS}\n${calls(1, 5000)}`)
    const { context } = listening(desk.services)
    const { bulk } = desk.services
    const sizes = [500]
    const load: typeof bulk.load = plan =>
      Object.create(bulk.load(plan), {
        add: { value: () => Promise.reject(new Error('gone')) },
        batchSize: { get: () => sizes.shift() ?? 10_000 },
      })
    const open = async () => ({ ...desk.services, bulk: { ...bulk, load } })
    const source = { name: '-', stream }
    const importing = importRecords({
      resource: resourceNamed('cdrs'),
      source,
      options: readImportOptions({}),
      context: { ...context, open },
    })
    await assert.rejects(importing, /gone/)
  })

  it('stops between two batches on a signal, and can be resumed', async () => {
    const { context, heard } = listening(desk.services)
    Object.assign(context.io.stderr, { isTTY: true })
    const text = `${CALLS}\n${calls(1, 5000)}`
    const stop = new AbortController()
    const stream = new PassThrough()
    stream.write(text.slice(0, 140_000))
    const open = storing(desk, async store => {
      const counts = await store()
      stop.abort()
      stream.end(text.slice(140_000))
      return counts
    })
    const importing = importRecords({
      resource: resourceNamed('cdrs'),
      source: { name: 'in.csv', stream },
      options: readImportOptions({}),
      context: { ...context, open },
      signal: stop.signal,
    })
    await assert.rejects(importing, { exitCode: 130 })
    assert.match(heard.stderr, /rows.*\r\u001b\[K$/s, 'the line is left free for the error')
    assert.ok((await stored()).length > 0 && (await stored()).length < 5000)
    await desk.take('cdrs', text, ['--resume'])
    assert.deepEqual(
      await stored(),
      Array.from({ length: 5000 }, (_, i) => String(i + 1)),
    )
  })
})
