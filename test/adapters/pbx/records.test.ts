import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Batch, formatOf, readBatches } from '../../../adapters/pbx/records.ts'
import { asteriskRow, freeswitchRow, ndjsonRow } from '../../support/data/switch.ts'

async function* chunksOf(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function batchesOf(text: string, isFinal: () => boolean, size = 1_000): Promise<Batch[]> {
  const batches: Batch[] = []
  for await (const batch of readBatches(chunksOf(text, size), 'asterisk-csv', { isFinal })) batches.push(batch)
  return batches
}

const rows = (count: number): string => Array.from({ length: count }, (_, n) => asteriskRow({ id: `${n}` })).join('')

test('records come in batches, each with the place just after its last one', async () => {
  const text = rows(2_500)
  const batches = await batchesOf(text, () => false)
  assert.deepEqual(
    batches.map(({ records }) => records.length),
    [1_000, 1_000, 500],
  )
  const lines = text.split('\n').map(line => `${line}\n`)
  const bytesOf = (count: number): number => Buffer.byteLength(lines.slice(0, count).join(''))
  assert.deepEqual(
    batches.map(({ position }) => position),
    [bytesOf(1_000), bytesOf(2_000), bytesOf(2_500)],
  )
})

test('a last line without its end is a record only if no more follows, which is asked after the last chunk', async () => {
  const text = rows(2).trimEnd()
  const count = async (isFinal: () => boolean): Promise<number> =>
    (await batchesOf(text, isFinal)).flatMap(({ records }) => records).length
  assert.equal(await count(() => true), 2)
  assert.equal(await count(() => false), 1)
  const stopping = new AbortController()
  async function* stopped(): AsyncIterable<Uint8Array> {
    yield Buffer.from(text.slice(0, -10))
    stopping.abort()
  }
  const isFinal = (): boolean => !stopping.signal.aborted
  let records = 0
  for await (const batch of readBatches(stopped(), 'asterisk-csv', { isFinal })) records += batch.records.length
  assert.equal(records, 1)
})

test('a feed without line ends comes in batches of some megabytes, for the quarantine, and ends with the line', async () => {
  const text = `${'x'.repeat(20 * 1024 * 1024)}\n${asteriskRow()}`
  const batches = await batchesOf(text, () => true, 256 * 1024)
  assert.deepEqual(
    batches.map(({ records }) => records.length),
    [8, 8, 5],
  )
  const records = batches.flatMap(batch => batch.records)
  for (const record of records.slice(0, -1))
    assert.deepEqual('reason' in record ? [record.raw.length, record.reason] : null, [
      1024 * 1024,
      'is a part of a record longer than 1 MiB: line ends are missing',
    ])
  const last = records.at(-1)
  assert.ok(last && 'call' in last)
})

test('the format is recognised by the first line that one can be recognised by', () => {
  assert.equal(formatOf(`torn\n\n${asteriskRow()}`), 'asterisk-csv')
  assert.equal(formatOf(freeswitchRow()), 'freeswitch-csv')
  assert.equal(formatOf(ndjsonRow()), 'ndjson')
  assert.equal(formatOf('what is this\n'), null)
  assert.equal(formatOf(''), null)
})
