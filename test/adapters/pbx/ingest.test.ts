import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import type { SourceFormat } from '../../../core/calls/completed-call.ts'
import type { Calls, IngestCounts } from '../../../core/ports/calls.ts'
import {
  asteriskCustomRow,
  asteriskRow,
  freeswitchJson,
  inWorld,
  ndjsonRow,
  rules,
  type SwitchWorld,
} from '../../support/data/switch.ts'

interface Taken extends IngestCounts {
  readonly passedOver: string[]
  /** Why each unreadable one cannot be read. */
  readonly troubles: string[]
}

async function takenIn(world: SwitchWorld, path: string, format: SourceFormat | 'auto' = 'auto'): Promise<Taken> {
  const passedOver: string[] = []
  const troubles: string[] = []
  const onPassedOver = (file: string, trouble: string | null): void => {
    passedOver.push(file)
    if (trouble !== null) troubles.push(trouble)
  }
  const asked = { feed: { name: path, rules: rules() }, format, onPassedOver }
  return { ...(await ingest(path, asked, world.storage.calls)), passedOver, troubles }
}

/** A folder with files of several formats, and unusable records. */
function folderOf(world: SwitchWorld): string {
  const folder = world.file('cdr')
  mkdirSync(folder)
  mkdirSync(join(folder, 'older'))
  const files = {
    'Master.csv': asteriskRow({ id: '1.3' }),
    'Master.csv.1': `torn"\n${asteriskRow({ id: '1.1' })}${asteriskRow({ id: '1.2' })}`,
    'custom.csv': asteriskCustomRow({ id: '1.4' }),
    'a.cdr.json': freeswitchJson({ id: 'a' }),
    'Master.csv.2.gz': '\u001f\u008b no text',
    'empty.csv': '',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const ids = async ({ calls }: SwitchWorld): Promise<(string | null)[]> =>
  (await calls()).map(({ switch_call_id }) => switch_call_id)

describe('the ingest of a folder', () => {
  test(
    'reads each file in the format that its first lines show, and names the files that it skipped',
    inWorld(async world => {
      const folder = folderOf(world)
      const { stored, quarantined, passedOver } = await takenIn(world, folder)
      assert.deepEqual([stored, quarantined], [5, 1])
      assert.deepEqual(await ids(world), ['1.1/7', '1.2/7', '1.3/7', '1.4/7', 'a'])
      assert.deepEqual(passedOver, [join(folder, 'Master.csv.2.gz'), join(folder, 'older')])
    }),
  )

  test(
    'reads only the files of the given format',
    inWorld(async world => {
      const folder = folderOf(world)
      const { passedOver } = await takenIn(world, folder, 'asterisk-csv')
      assert.deepEqual(await ids(world), ['1.1/7', '1.2/7', '1.3/7'])
      const others = ['Master.csv.2.gz', 'a.cdr.json', 'custom.csv', 'older']
      assert.deepEqual(
        passedOver,
        others.map(name => join(folder, name)),
      )
    }),
  )

  test(
    'reads a .json with one record on each line line by line, and skips one of another format than the given one',
    inWorld(async world => {
      const folder = world.file('cdr')
      mkdirSync(folder)
      writeFileSync(join(folder, 'a.json'), ndjsonRow({ id: '1' }) + ndjsonRow({ id: '2' }))
      writeFileSync(join(folder, 'b.json'), `${freeswitchJson({ id: 'b' })}\n${freeswitchJson({ id: 'c' })}\n`)
      const named = await takenIn(world, folder, 'freeswitch-json')
      assert.deepEqual([named.stored, named.quarantined, named.passedOver], [2, 0, [join(folder, 'a.json')]])
      const { stored, known, quarantined, passedOver } = await takenIn(world, folder)
      assert.deepEqual([stored, known, quarantined, passedOver], [2, 2, 0, []])
      assert.deepEqual(await ids(world), ['1', '2', 'b', 'c'])
    }),
  )

  test(
    'stores nothing for an empty .json',
    inWorld(async world => {
      const folder = world.file('cdr')
      mkdirSync(folder)
      writeFileSync(join(folder, 'empty.json'), '')
      const { quarantined, passedOver } = await takenIn(world, folder)
      assert.deepEqual([quarantined, passedOver], [0, []])
    }),
  )

  test(
    'skips what is not a file or cannot be read, whatever its name, and stores the others',
    inWorld(async world => {
      const folder = world.file('cdr')
      mkdirSync(join(folder, 'a.json'), { recursive: true })
      symlinkSync(join(folder, 'gone'), join(folder, 'b.json'))
      writeFileSync(join(folder, 'c.json'), freeswitchJson({ id: 'c' }))
      const { stored, passedOver, troubles } = await takenIn(world, folder)
      assert.deepEqual([stored, troubles], [1, ['ENOENT']])
      assert.deepEqual(passedOver, [join(folder, 'a.json'), join(folder, 'b.json')])
    }),
  )

  test(
    'stores large files a few at a time, so that only a few MiB wait in memory',
    inWorld(async world => {
      const folder = world.file('cdr')
      mkdirSync(folder)
      for (let n = 1; n <= 4; n++) writeFileSync(join(folder, `${n}.json`), '['.repeat(3 * 1024 * 1024))
      const batches: number[] = []
      const { calls } = world.storage
      const counted: Calls = {
        ...calls,
        store: (feed, records, place) => {
          batches.push(records.length)
          return calls.store(feed, records, place)
        },
      }
      await ingest(folder, { feed: { name: folder, rules: rules() }, format: 'auto' }, counted)
      assert.deepEqual(batches, [3, 1])
    }),
  )
})

describe('a file of one JSON record', () => {
  const pretty = JSON.stringify(JSON.parse(freeswitchJson({ id: 'a' })), null, 2)

  test(
    'on many lines is one call, whatever its name',
    inWorld(async world => {
      for (const [name, known] of [['a.cdr.json', 0] as const, ['record', 1] as const]) {
        writeFileSync(world.file(name), pretty)
        assert.equal((await takenIn(world, world.file(name), 'freeswitch-json')).known, known)
      }
      assert.deepEqual(await ids(world), ['a'])
    }),
  )

  test(
    'that cannot be read is one record in quarantine, with the whole of its text',
    inWorld(async world => {
      const text = pretty.replace('"variables"', '"varia')
      for (const format of ['auto', 'freeswitch-json'] as const) {
        writeFileSync(world.file('a.cdr.json'), text)
        assert.equal((await takenIn(world, world.file('a.cdr.json'), format)).quarantined, 1)
      }
      assert.deepEqual(
        (await world.quarantine()).map(({ record }) => record),
        [text],
      )
    }),
  )

  test(
    'with one record on each line is read line by line',
    inWorld(async world => {
      writeFileSync(
        world.file('calls.json'),
        `${freeswitchJson({ id: 'a' })}\n{"torn\n${freeswitchJson({ id: 'b' })}\n`,
      )
      const { stored, quarantined } = await takenIn(world, world.file('calls.json'))
      assert.deepEqual([stored, quarantined], [2, 1])
    }),
  )
})
